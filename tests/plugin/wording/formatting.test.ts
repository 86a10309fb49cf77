import { expect, test } from "vitest";
import { joinSentences, noteCount, number, seconds } from "../../../plugin/wording/formatting";

test("parts become sentences with a capital and a full stop; empty ones are left out", () => {
  expect(joinSentences("no closing quote", "", " Close it? ", "done.")).toBe("No closing quote. Close it? Done.");
  expect(joinSentences("", " ")).toBe("");
});

test("counts are grouped by thousands, and one note is singular", () => {
  expect([noteCount(0), noteCount(1), noteCount(16_894), number(1_412_000)]).toEqual(["0 notes", "1 note", "16,894 notes", "1,412,000"]);
});

test("seconds are rounded up", () => {
  expect([seconds(10_000), seconds(10_001), seconds(1)]).toEqual(["10 s", "11 s", "1 s"]);
});
