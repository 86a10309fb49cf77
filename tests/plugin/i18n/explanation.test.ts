import { describe, expect, test } from "vitest";
import { explainWords } from "../../../plugin/i18n/explanation";
import { explained } from "../builders";

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
    const { message, facts } = explainWords(explained({ told: [{ code: "explain-far", args: {} }], wordsFound: ["glue"], wordsLacking: ["cloth", "fold"], breakdown }));

    expect(message).toBe("It contains no word of the query and is not close enough in meaning.");
    expect(facts).toEqual([["Searched for", "notes about retry"], ["Rank by words", "3"], ["Words", "1 of 3: glue · missing: cloth, fold"]]);
  });

  test("a note that is not indexed has a message alone", () => {
    expect(explainWords(explained({ state: "excluded", told: [], message: "it is left out by a rule", understood: "", understoodTold: [] }))).toEqual({
      message: "It is left out by a rule.",
      signals: [],
      facts: [],
    });
  });
});
