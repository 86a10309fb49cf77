import { describe, expect, test } from "vitest";
import { correctionWords, countWords, explainWords, searchAsTypedWords, relaxedWords, understoodWords } from "../../../plugin/ui/answer-words";
import { answer, explained, hit } from "../builders";

test("the count says how many of how many, and how fast", () => {
  const hits = [hit("a.md"), hit("b.md")];

  expect(countWords(answer({ hits, tookMs: 23.4 }))).toBe("2 notes · 23 ms");
  expect(countWords(answer({ hits, total: 1_412, tookMs: 0.2 }))).toBe("2 of 1,412 notes · 1 ms");
});

test("how the query was understood is a sentence, or nothing", () => {
  expect(understoodWords("notes tagged #idea")).toBe("Searched for notes tagged #idea.");
  expect(understoodWords("")).toBe("");
});

test("a correction names what was typed and what was looked for", () => {
  expect(correctionWords([])).toBe("");
  expect(correctionWords([{ typed: "refrences", used: "references" }])).toBe("No notes contain “refrences”. Showing results for “references”.");
  expect(correctionWords([{ typed: "ab", used: "cd" }, { typed: "ef", used: "gh" }])).toBe("No notes contain “ab” or “ef”. Showing results for “cd” and “gh”.");
  expect(searchAsTypedWords([{ typed: "refrences", used: "references" }])).toBe("Search for “refrences” instead");
});

test("a relaxation is shown in the engine's words; filters that match nothing are named", () => {
  const understood = "notes in Attic, near in meaning to glue";

  expect(relaxedWords(null, understood)).toBe("");
  expect(relaxedWords({ step: "meaning", message: "These come near in meaning" }, understood)).toBe("These come near in meaning.");
  expect(relaxedWords({ step: "without-filters", message: "Without them there is this." }, understood)).toBe(
    "Without them there is this. You asked for notes in Attic, near in meaning to glue.",
  );
});

describe("why a note is where it is", () => {
  test("shows the signals as shares of their sum", () => {
    const { signals } = explainWords(explained({ signals: [{ name: "meaning", share: 0.3 }, { name: "title", share: 0.1 }, { name: "note", share: 0 }] }));

    expect(signals).toEqual([["Similarity in meaning", "75%"], ["Words in the title", "25%"]]);
  });

  test("a signal of a newer engine keeps its own name", () => {
    expect(explainWords(explained({ signals: [{ name: "novelty", share: 1 }] })).signals).toEqual([["novelty", "100%"]]);
  });

  test("says which words it holds and lacks, and its rank with each retriever", () => {
    const breakdown = { lexicalRank: 3, lexicalScore: 1.5, denseRank: null, denseScore: null, fused: 0.4 };
    const { message, facts } = explainWords(explained({ message: "it ranks 3 of 9", wordsFound: ["glue"], wordsLacking: ["cloth", "fold"], breakdown }));

    expect(message).toBe("It ranks 3 of 9.");
    expect(facts).toEqual([["Searched for", "notes near in meaning to retry"], ["Rank by words", "3"], ["Words found", "glue"], ["Words missing", "cloth, fold"]]);
  });

  test("a note that is not indexed has a message alone", () => {
    expect(explainWords(explained({ state: "excluded", message: "It is left out by a rule.", understood: "" }))).toEqual({
      message: "It is left out by a rule.",
      signals: [],
      facts: [],
    });
  });
});
