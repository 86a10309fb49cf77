import { afterEach, beforeEach, expect, test } from "vitest";
import { ageWords, dateAndTime, joinFacts, joinSentences, megabytes, noteCount, percent, plainList, seconds } from "../../../plugin/i18n/formatting";
import { chooseLanguage, number, t } from "../../../plugin/i18n/translate";

test("parts become sentences with a capital and a full stop; empty ones are left out", () => {
  expect(joinSentences("no closing quote", "", " Close it? ", "done.")).toBe("No closing quote. Close it? Done.");
  expect(joinSentences("", " ")).toBe("");
});

test("counts are grouped by thousands, and one note is singular", () => {
  expect([noteCount(0), noteCount(1), noteCount(16_894), number(1_412_000)]).toEqual(["0 notes", "1 note", "16,894 notes", "1,412,000"]);
});

test("seconds are rounded up", () => {
  expect([seconds(10_000), seconds(10_001), seconds(1)]).toEqual([10, 11, 1]);
});

beforeEach(() => { chooseLanguage("en"); });
afterEach(() => { chooseLanguage("en"); }); // files that run in one thread may share modules

test("sentences of Chinese and Japanese end in their own stop and stand without spaces", () => {
  expect(joinSentences("没有结果", "请重试。", "Close it")).toBe("没有结果。请重试。Close it.");
});

test("a sentence of theirs that ends in a name has their stop too", () => {
  chooseLanguage("zh");
  expect(joinSentences("搜索条件：不含“a”", "Close it")).toBe("搜索条件：不含“a”。Close it.");
  chooseLanguage("de");
  expect(joinSentences("Gesucht wurde: Notizen mit „面包“")).toBe("Gesucht wurde: Notizen mit „面包“.");
});

test("facts stand beside each other, empty ones left out", () => {
  expect(joinFacts("Live", "", "2 notes")).toBe("Live · 2 notes");
});

test.each([
  ["en", "“a” or “b”", "a, b"],
  ["de", "„a“ oder „b“", "a, b"],
  ["ja", "「a」または「b」", "a、b"],
  ["zh", "“a”或“b”", "a、b"],
])("lists are joined and quoted as %s does it", (language, either, all) => {
  chooseLanguage(language);

  expect([t("word.any-of", { words: ["a", "b"] }), plainList(["a", "b"])]).toEqual([either, all]);
});

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

test.each([
  [-5_000, null, 0],
  [MINUTE - 1, null, 0],
  [MINUTE, "minute", 1],
  [60 * MINUTE, "hour", 1],
  [DAY, "day", 1],
  [30 * DAY, "day", 30],
  [31 * DAY, "month", 1],
  [364 * DAY, "month", 11],
  [365 * DAY, "year", 1],
  [800 * DAY, "year", 2],
] as const)("an age of %d ms is told in the largest unit it holds: %s", (ageMs, unit, count) => {
  const expected = unit === null ? "now" : new Intl.RelativeTimeFormat("en", { style: "narrow" }).format(-count, unit);

  expect(ageWords(ageMs)).toBe(expected);
});

test("shares, sizes and dates are written as the language writes them", () => {
  expect([percent(0.42), megabytes(12_340_000), dateAndTime(0)]).toEqual(["42%", "12.3 MB", expect.stringMatching(/^(Jan 1, 1970|Dec 31, 1969), /)]);
});
