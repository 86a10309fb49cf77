import { describe, expect, test } from "vitest";
import { answerTip, correctionWords, countWords, explainWords, remarkOn, understoodWords } from "../../../plugin/i18n/answer";
import { answer, explained, hit } from "../builders";

test("the count is of the notes that contain the words, and the time is in its tip", () => {
  const hits = [hit("a.md"), hit("b.md")];

  expect(countWords(answer({ hits, total: 1_412 }))).toBe("1,412 notes");
  expect(answerTip(answer({ hits, tookMs: 0.2 }))).toBe("Searched for notes about retry. · 1 ms");
});

test("nothing is counted for a question, and for many words", () => {
  expect(countWords(answer({ query: "what is glue", isQuestion: true, total: 3 }))).toBe("");
  expect(countWords(answer({ query: "glue hot press bone", total: 3 }))).toBe("");
});

test.each(["hide glue", "hot hide glue", '"a phrase of five words"', 'glue path:"My old notes" [status:done] -cold'])("the notes with all words of %s are counted", (query) => {
  expect(countWords(answer({ query, total: 3 }))).toBe("3 notes");
});

test("where rows that lack a word are among them, the count says what it counts", () => {
  expect(countWords(answer({ query: "hide glue", total: 1, reachable: 40 }))).toBe("1 note with all words");
  expect(countWords(answer({ query: "hide glue", total: 7, reachable: 40 }))).toBe("7 notes with all words");
  expect(countWords(answer({ query: "glue", total: 7, reachable: 40 }))).toBe("7 notes"); // those that are merely near are not shown
});

test("notes that are near in meaning are not counted", () => {
  expect(countWords(answer({ total: 0 }))).toBe("");
  expect(countWords(answer({ total: 30, mode: "semantic" }))).toBe("");
});

test("how the query was understood is a sentence, or nothing", () => {
  expect(understoodWords(answer())).toBe("Searched for notes about retry.");
  expect(understoodWords(answer({ byNames: { ignored: [] } }))).toBe("");
});

test("a correction names what was typed and what was looked for", () => {
  expect(correctionWords([])).toBe("");
  expect(correctionWords([{ typed: "refrences", used: "references", isBeside: false }])).toBe("Showing results for “references”. No notes contain “refrences”.");
  expect(correctionWords([{ typed: "ab", used: "cd", isBeside: false }, { typed: "ef", used: "gh", isBeside: false }])).toBe("Showing results for “cd” and “gh”. No notes contain “ab” or “ef”.");
  expect(correctionWords([{ typed: "snipets", used: "snippets", isBeside: true }])).toBe("Also showing results for “snippets”. Hardly any notes contain “snipets”.");
});

test("a relaxation is worded by its code, and says more than what fits no note or what is weak", () => {
  const relaxed = { step: "meaning" as const, messages: [{ code: "relaxed.nothing-all", args: {} }, { code: "relaxed.meaning", args: {} }] };

  expect(remarkOn(answer())).toBe("");
  expect(remarkOn(answer({ relaxed, weakness: "no-words", unknownWords: ["zebra"] }))).toBe("No notes match."); // the heading of the rows says what they are
});

test("a correction comes first, a weak answer last", () => {
  const unknown = answer({ weakness: "unlikely", unknownWords: ["zebra"] });
  const corrections = [{ typed: "glew", used: "glue", isBeside: false }];

  expect(remarkOn({ ...unknown, corrections })).toBe("Showing results for “glue”. No notes contain “glew”.");
  expect(remarkOn(unknown)).toBe("No note contains “zebra”.");
  expect(remarkOn({ ...unknown, query: "which zebra eats glue" })).toBe("Best guesses");
});

test("what a filter keeps out is not said to be in no note", () => {
  const clause = { kind: "tag" as const, start: 0, end: 5, name: "", value: "idea", negated: false, removable: true };

  expect(remarkOn(answer({ hits: [hit("a.md")], weakness: "no-words" }))).toBe("No note contains these words.");
  expect(remarkOn(answer({ hits: [hit("a.md")], weakness: "no-words", clauses: [clause] }))).toBe("No notes that match your filters contain these words.");
  expect(remarkOn(answer({ hits: [hit("a.md")], weakness: "no-words", clauses: [{ ...clause, kind: "phrase" }] }))).toBe("No note contains these words.");
});

test("an excluded word is named where no note matches well", () => {
  const clause = { kind: "word" as const, start: 11, end: 14, name: "", value: "t", negated: true, removable: true };

  expect(remarkOn(answer({ hits: [hit("a.md")], weakness: "unlikely", clauses: [clause] }))).toBe("Notes were left out because of “-t”. Put it in quotes to search for it.");
});

describe("why a note is where it is", () => {
  test("shows the signals as shares of their sum", () => {
    const { signals } = explainWords(explained({ signals: [{ name: "meaning", share: 3 }, { name: "title", share: 1 }, { name: "note", share: 0 }] }));

    expect(signals).toEqual([["Similarity in meaning", 0.75, "75%"], ["Words in the title", 0.25, "25%"]]);
  });

  test("a signal of a newer engine keeps its own name", () => {
    expect(explainWords(explained({ signals: [{ name: "novelty", share: 1 }] })).signals).toEqual([["novelty", 1, "100%"]]);
  });

  test("says which words it holds and lacks, and its rank with each retriever", () => {
    const breakdown = { keywordRank: 3, keywordScore: 1.5, denseRank: null, denseScore: null, fused: 0.4 };
    const { message, facts } = explainWords(explained({ messages: [{ code: "explained.far", args: {} }], wordsFound: ["glue"], wordsLacking: ["cloth", "fold"], breakdown }));

    expect(message).toBe("It contains no word of the query and is not close enough in meaning.");
    expect(facts).toEqual([["Searched for", "notes about retry"], ["Rank by words", "3"], ["Words", "1 of 3: glue · missing: cloth, fold"]]);
  });

  test("a note that is not indexed has a message alone", () => {
    expect(explainWords(explained({ state: "excluded", messages: [{ code: "reason.hidden", args: {} }], understood: null }))).toEqual({
      message: "It is in a hidden folder or is hidden itself. Hidden files are never indexed.",
      signals: [],
      facts: [],
    });
  });
});
