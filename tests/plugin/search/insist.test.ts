import { expect, test } from "vitest";
import { insisting } from "../../../plugin/search/insist";

const correction = { typed: "refrences", used: "references" };

test("the corrected word is put in quotes, the rest stays as typed", () => {
  expect(insisting("old  refrences tag:x", [correction])).toBe('old  "refrences" tag:x');
});

test("however it was written", () => {
  expect(insisting("Refrences, refrences", [correction])).toBe('"Refrences", "refrences"');
});

test("a longer word that holds it is another word", () => {
  expect(insisting("refrencesection refrences", [correction])).toBe('refrencesection "refrences"');
});

test("every corrected word is", () => {
  expect(insisting("refrences bakcoff", [correction, { typed: "bakcoff", used: "backoff" }])).toBe('"refrences" "bakcoff"');
});

test("what is in quotes already leaves nothing to insist on", () => {
  expect(insisting('"refrences"', [correction])).toBeNull();
  expect(insisting('the "old refrences', [correction])).toBeNull();
  expect(insisting("anything", [])).toBeNull();
});
