import { expect, test } from "vitest";
import { lastWordIsUnknown } from "../../../plugin/search/unknown-word";
import { hit, passage } from "../builders";

const found = (snippet: string, start: number, end: number): ReturnType<typeof hit> =>
  hit("a.md", { passages: [passage({ snippet, marks: [{ start, end, kind: "word" }] })] });

test("a word that a mark begins with is the beginning of one", () => {
  expect(lastWordIsUnknown({ query: "leaking bell", hits: [found("the Bellows leak", 4, 11)] })).toBe(false);
});

test("a word that no mark begins with is unknown, also where the others were found", () => {
  expect(lastWordIsUnknown({ query: "leaking refrences", hits: [found("it is leaking", 6, 13)] })).toBe(true);
  expect(lastWordIsUnknown({ query: "refrences", hits: [] })).toBe(true);
});

test("a mark in the title counts, a sentence near in meaning does not", () => {
  const titled = hit("a.md", { title: "Bellows", titleMarks: [{ start: 0, end: 7, kind: "word" }], passages: [] });
  const near = hit("b.md", { passages: [passage({ snippet: "Bellows leak.", marks: [{ start: 0, end: 13, kind: "sentence" }] })] });

  expect(lastWordIsUnknown({ query: "bell", hits: [titled] })).toBe(false);
  expect(lastWordIsUnknown({ query: "bell", hits: [near] })).toBe(true);
});

test("case and accents make no difference", () => {
  expect(lastWordIsUnknown({ query: "cafe\u0301", hits: [found("Café", 0, 4)] })).toBe(false);
  expect(lastWordIsUnknown({ query: "CAFE", hits: [found("cafés", 0, 5)] })).toBe(false);
});

test.each(["teh", "v123", "tag:wrok", '"refrences"', "-refrences", "", "refrences tag:x"])("%j has no last word that could be corrected", (query) => {
  expect(lastWordIsUnknown({ query, hits: [] })).toBe(false);
});
