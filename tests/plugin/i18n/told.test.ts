import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ExplainReason, type Message, type MessageCode, type ReasonCode, type RegexProblem, type UnderstoodCode } from "../../../plugin/protocol/messages";
import { toldWords, wordsByCode } from "../../../plugin/i18n/told";
import { chooseLanguage } from "../../../plugin/i18n/translate";

const ENGLISH = "what the engine says";

/** What the engine sends with each code: a new code will not compile until it stands here. */
const ARGUMENTS: Readonly<Record<Exclude<MessageCode, UnderstoodCode>, Message["args"]>> = {
  "query-too-long": { count: 5000, limit: 4096 },
  "query-only-excludes": { query: "-draft" },
  "query-without-words": {},
  "query-too-deep": { limit: 32 },
  "too-many-words": { limit: 32 },
  "too-many-filters": { limit: 100 },
  "too-many-alternatives": { operator: "section", limit: 8 },
  "bad-regex": { pattern: "v(\\d+", problem: "missing-parenthesis", reason: "missing )" },
  "no-regex-here": { operator: "tag" },
  "no-filter-here": { operator: "line", inner: "tag:a" },
  "bad-date": { operator: "created", value: "soon" },
  "relaxed-beginnings": { word: "retr", among: "all" },
  "relaxed-phrases": { phrases: ["rate limit", "cold start"], among: "filtered" },
  "relaxed-phrases-in-case": { phrases: ["API"], among: "all" },
  "relaxed-unmet-filters": { filters: ["tag:x"], ignored: 1 },
  "relaxed-filters": { filters: ["tag:x", "folder:Work"], ignored: 2 },
  "relaxed-words": { words: ["zebra", "unicorn"], among: "not-excluded" },
  "relaxed-many-words": { among: "filtered" },
  "relaxed-nothing": { among: "all" },
  "explain-hit": { rank: 3, total: 1200, reasons: ["words", "meaning"], found: ["glue"], lacking: ["cloth", "fold"], limit: 10 },
  "explain-beyond": { rank: 30, total: 40, reasons: ["title"], found: [], lacking: [], limit: 10 },
  "explain-far": {},
  "explain-no-words": {},
  "explain-crowded-out": { found: ["a", "b", "c", "d"], lacking: ["e", "f", "g"] },
  "explain-alternative": {},
  "explain-listed": {},
  "explain-refused": { filters: ["folder:Work"] },
  "explain-status": { value: "archived" },
  "explain-skipped-section": { words: "rate limit", section: "Related" },
  "explain-absent": { reason: "folders-exclude", entry: "Attic", plugin: "" },
  "words-unavailable": {},
  "model-loading": {},
  "model-missing": { model: "potion" },
  "vectors-pending": { model: "potion" },
  "index-unavailable": {},
  "index-recreated": { file: "notes.db.1" },
  "vault-missing": {},
  "settings-unreadable": {},
  "indexing-failed": {},
  "notes-kept": { count: 40 },
  "process-ended": {},
};
/** Of what the engine's English says more, English shows that. */
const ENGINES_OWN = ["model-missing", "words-unavailable", "index-unavailable", "index-recreated", "vault-missing", "settings-unreadable", "indexing-failed", "process-ended"];
const MESSAGES = Object.entries(ARGUMENTS).map(([code, args]) => ({ code: code as MessageCode, args }));
const PROBLEMS: Readonly<Record<RegexProblem, null>> = {
  "missing-parenthesis": null, "unexpected-parenthesis": null, "missing-bracket": null, "bad-range": null, "bad-repetition": null, "nothing-to-repeat": null,
  "bad-escape": null, "trailing-backslash": null, unsupported: null, "too-large": null, unavailable: null, other: null,
};
const REASONS: Readonly<Record<ExplainReason, null>> = { words: null, phrase: null, meaning: null, title: null, exact: null, severity: null, recency: null, tags: null, domain: null };

const REASON_CODES: Readonly<Record<ReasonCode, null>> = {
  "folders-include": null, "folders-exclude": null, "index-ignore": null, "obsidian-excluded": null, templates: null, hidden: null, "not-markdown": null, "kind-off": null, drawing: null, sensitivity: null,
  status: null, link: null, name: null, unreadable: null, "not-a-file": null, crash: null, defect: null, "too-large": null, "too-many-passages": null, "front-matter": null, damaged: null,
  locked: null, "no-text": null, settings: null, new: null, changed: null, gone: null, unknown: null, other: null,
};

beforeEach(() => { chooseLanguage("en"); });
afterEach(() => { chooseLanguage("en"); }); // files that run in one thread may share modules

describe.each(["en", "de", "ja", "zh"])("in %s", (language) => {
  beforeEach(() => { chooseLanguage(language); });

  test.each(MESSAGES.filter(({ code }) => language !== "en" || !ENGINES_OWN.includes(code)))("$code is whole sentences with every argument in its place", (message) => {
    const words = toldWords([message], ENGLISH);

    expect(words).toMatch(/[.。]$/);
    expect(words).not.toMatch(/what the engine says|[{}]|undefined/i);
  });

  test.each(Object.keys(PROBLEMS))("a regular expression's problem %s is named", (problem) => {
    expect(toldWords([{ code: "bad-regex", args: { pattern: "(", problem, reason: "why" } }], ENGLISH)).not.toMatch(/what the engine says|[{}]/i);
  });

  test.each(Object.keys(REASONS))("the reason %s is given", (reason) => {
    const args = { rank: 1, total: 2, reasons: [reason], found: ["glue"], lacking: [], limit: 10 };

    expect(toldWords([{ code: "explain-hit", args }], ENGLISH)).not.toMatch(/what the engine says|[{}]/i);
  });
});

test("says in English what the engine says", () => {
  const say = (code: keyof typeof ARGUMENTS): string => toldWords([{ code, args: ARGUMENTS[code] }], ENGLISH);

  expect(say("bad-regex")).toBe("Check the regular expression: a “)” is missing.");
  expect(say("relaxed-unmet-filters")).toBe("No notes match tag:x. These results ignore that filter.");
  expect(say("relaxed-phrases")).toBe("No notes under these filters contain “rate limit” and “cold start”. These contain some of the words, but not word for word.");
  expect(say("explain-hit")).toBe("It ranks 3 of 1,200. It contains “glue”. It does not contain “cloth” or “fold”. It is close in meaning.");
  expect(say("explain-crowded-out")).toBe("It contains 4 of the 7 words of the query. Too many other notes match better.");
});

test("sentences of several messages stand one after the other", () => {
  expect(toldWords([{ code: "relaxed-nothing", args: { among: "all" } }, { code: "explain-far", args: {} }], ENGLISH)).toMatch(/^No notes match\. .* It contains no word/);
});

test("a code, a reason or a problem of a newer engine is told in its English", () => {
  const unknown = [
    { code: "relaxed-by-moonlight" as MessageCode, args: {} },
    { code: "bad-regex", args: { problem: "too-poetic" } },
    { code: "explain-hit", args: { rank: 1, total: 2, reasons: ["luck"] } },
    { code: "relaxed-nothing", args: { among: "the-stars" } },
  ] satisfies readonly Message[];

  for (const message of unknown) expect(toldWords([message], ENGLISH)).toBe("What the engine says.");
  expect(toldWords([], ENGLISH)).toBe("What the engine says.");
});

test.each(ENGINES_OWN)("what the engine says of %s in English names more, and is shown to those who read English", (code) => {
  expect(toldWords([{ code: code as MessageCode, args: { model: "x", file: "" } }], ENGLISH)).toBe("What the engine says.");
});

describe.each(["de", "ja", "zh"])("in %s", (language) => {
  test.each(Object.keys(REASON_CODES))("the reason %s has words", (code) => {
    chooseLanguage(language);

    expect(wordsByCode(`inspect.reason.${code}`, { entry: "x", plugin: "y" })).toMatch(/[.。]$/);
  });
});
