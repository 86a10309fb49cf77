import { describe, expect, test } from "vitest";
import { lastWordIsUnknown, quotedAsTyped } from "../../../plugin/search/spelling";
import { hit, passage } from "../builders";

describe("the last word", () => {
  const found = (snippet: string, start: number, end: number): ReturnType<typeof hit> =>
    hit("a.md", { passages: [passage({ snippet, marks: [{ start, end, kind: "word" }] })] });

  test("is a known prefix where a highlighted word begins with it", () => {
    expect(lastWordIsUnknown({ query: "leaking bell", hits: [found("the Bellows leak", 4, 11)] })).toBe(false);
  });

  test("is unknown where no highlighted word begins with it, even if the other words were found", () => {
    expect(lastWordIsUnknown({ query: "leaking refrences", hits: [found("it is leaking", 6, 13)] })).toBe(true);
    expect(lastWordIsUnknown({ query: "refrences", hits: [] })).toBe(true);
  });

  test("may be highlighted in a title; a sentence that is near in meaning does not count", () => {
    const titled = hit("a.md", { title: "Bellows", titleMarks: [{ start: 0, end: 7, kind: "word" }], passages: [] });
    const near = hit("b.md", { passages: [passage({ snippet: "Bellows leak.", marks: [{ start: 0, end: 13, kind: "sentence" }] })] });

    expect(lastWordIsUnknown({ query: "bell", hits: [titled] })).toBe(false);
    expect(lastWordIsUnknown({ query: "bell", hits: [near] })).toBe(true);
  });

  test("is a known prefix where a word of a heading begins with it, which no snippet highlights", () => {
    const headed = hit("a.md", { passages: [passage({ headingPath: ["Care", "Patch the bellows"], snippet: "Find the leak.", marks: [] })] });

    expect(lastWordIsUnknown({ query: "leak bell", hits: [headed] })).toBe(false);
    expect(lastWordIsUnknown({ query: "leak ellows", hits: [headed] })).toBe(true);
  });

  test("is compared without case and accents", () => {
    expect(lastWordIsUnknown({ query: "cafe\u0301", hits: [found("Café", 0, 4)] })).toBe(false);
    expect(lastWordIsUnknown({ query: "CAFE", hits: [found("cafés", 0, 5)] })).toBe(false);
  });

  test.each(["teh", "v123", "tag:wrok", '"refrences"', "-refrences", "", "refrences tag:x"])("%j has no last word that can be corrected", (query) => {
    expect(lastWordIsUnknown({ query, hits: [] })).toBe(false);
  });
});

describe("a query as it was typed", () => {
  const correction = { typed: "refrences", used: "references", isBeside: false };

  test.each([
    ["has the corrected word in quotes and everything else unchanged", "old  refrences tag:x", 'old  "refrences" tag:x'],
    ["has it in quotes in any case", "Refrences, refrences", '"Refrences", "refrences"'],
    ["leaves a longer word that contains it alone", "refrencesection refrences", 'refrencesection "refrences"'],
    ["has every corrected word in quotes", "refrences bakcoff", '"refrences" "bakcoff"'],
  ])("%s", (_, query, quoted) => {
    expect(quotedAsTyped(query, [correction, { typed: "bakcoff", used: "backoff", isBeside: false }])).toBe(quoted);
  });

  test("is null where the words are in quotes already", () => {
    expect(quotedAsTyped('"refrences"', [correction])).toBeNull();
    expect(quotedAsTyped('the "old refrences', [correction])).toBeNull();
    expect(quotedAsTyped("anything", [])).toBeNull();
  });
});
