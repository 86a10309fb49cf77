import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Message, type UnderstoodCode } from "../../../plugin/protocol/messages";
import { chooseLanguage } from "../../../plugin/i18n/translate";
import { understoodNotes } from "../../../plugin/i18n/understood";

const ENGLISH = "what the engine says";
const DATED = { negated: 0, field: "modified", first: "2026-01-01", last: "2026-03-31" };
const TOGETHER = { negated: 0, phrases: ["a"], without: ["b"] };

/** What the engine sends with each code, in each of its forms: a new code will not compile until it stands here. */
const ARGUMENTS: Readonly<Record<UnderstoodCode, readonly Message["args"][]>> = {
  "query-all": [{}],
  "query-words": [{ words: "back off", by: "words" }, { words: "backoff", by: "words" }, { words: "back off", by: "meaning" }, { words: "back off", by: "both" }],
  "query-phrase": [{ negated: 0, phrase: "rate limit" }, { negated: 1, phrase: "rate limit" }],
  "query-phrase-in-case": [{ negated: 0, phrase: "API" }],
  "query-pattern": [{ negated: 0, pattern: "a+", place: "text" }, { negated: 0, pattern: "a+", place: "path" }, { negated: 1, pattern: "a+", place: "file" }],
  "query-together": [{ ...TOGETHER, unit: "section" }, { ...TOGETHER, unit: "block", phrases: [] }, { ...TOGETHER, unit: "line", without: [] }],
  "query-task": ["any", "todo", "done"].flatMap((state) => [{ ...TOGETHER, state }, { ...TOGETHER, state, phrases: [], without: [] }]),
  "query-note": [{ negated: 1, path: "A/b.md" }],
  "query-folder": [{ negated: 0, folder: "Work" }, { negated: 1, folder: "Work" }],
  "query-path": [{ negated: 0, part: "x" }],
  "query-file": [{ negated: 0, part: "x" }],
  "query-kind": [{ negated: 0, kind: "pdf" }],
  "query-tag": [{ negated: 0, tag: "idea" }],
  "query-property": [
    { negated: 0, name: "due", comparison: "exists", value: "" },
    { negated: 1, name: "due", comparison: "is", value: "" },
    { negated: 0, name: "status", comparison: "is", value: "done" },
    { negated: 0, name: "rating", comparison: ">=", value: "4" },
  ],
  "query-dated": ["on", "in", "since", "before", "between", "always", "never"].flatMap((period) => [{ ...DATED, period }, { ...DATED, period, field: "created", negated: 1 }]),
  "query-filter": [{ negated: 0, filter: "(#a OR #b)" }],
};
const MESSAGES = Object.entries(ARGUMENTS).flatMap(([code, forms]) => forms.map((args) => ({ code: code as UnderstoodCode, args })));

beforeEach(() => { chooseLanguage("en"); });
afterEach(() => { chooseLanguage("en"); });

describe.each(["en", "de", "ja", "zh"])("in %s", (language) => {
  test.each(MESSAGES)("%j has words with every argument in its place", (message) => {
    chooseLanguage(language);

    const words = understoodNotes([message], ENGLISH);

    expect(words).not.toMatch(/what the engine says|[{}]|undefined|null/);
    for (const name of ["phrase", "pattern", "folder", "part", "tag", "value", "words", "filter"]) {
      const value = message.args[name];
      if (typeof value === "string") expect(words).toContain(value);
    }
  });
});

test("conditions stand one after the other, the words last", () => {
  const told: readonly Message[] = [
    { code: "query-folder", args: { negated: 0, folder: "Work" } },
    { code: "query-tag", args: { negated: 1, tag: "draft" } },
    { code: "query-together", args: { negated: 0, unit: "section", phrases: ["a", "b"], without: ["c"] } },
    { code: "query-property", args: { negated: 0, name: "status", comparison: "is", value: "done" } },
    { code: "query-dated", args: { ...DATED, negated: 1, period: "since" } },
    { code: "query-words", args: { words: "glue", by: "both" } },
  ];

  expect(understoodNotes(told, ENGLISH)).toBe("notes in Work, without the tag #draft, with “a” and “b” but not “c” in one section, with status: done, not modified since 2026-01-01, about glue");
  chooseLanguage("de");
  expect(understoodNotes(told, ENGLISH)).toBe("Notizen im Ordner Work, ohne Tag #draft, mit „a“ und „b“, aber nicht „c“ in einem Abschnitt, mit status: done, nicht seit 2026-01-01 geändert, zu glue");
});

test("all notes, and what a newer engine understands", () => {
  expect(understoodNotes([{ code: "query-all", args: {} }], ENGLISH)).toBe("all notes");
  expect(understoodNotes([], "")).toBe("");
  expect(understoodNotes([{ code: "query-rhymes" as UnderstoodCode, args: { negated: 0 } }], ENGLISH)).toBe(ENGLISH);
  expect(understoodNotes([{ code: "query-together", args: { negated: 0, unit: "stanza", phrases: ["a"], without: [] } }], ENGLISH)).toBe(ENGLISH);
});
