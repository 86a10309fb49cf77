import { afterEach, describe, expect, test } from "vitest";
import { type Freshness } from "../../../plugin/pane/state";
import { type StatusCode } from "../../../plugin/protocol/messages";
import { deepeningWords, degradationWords, freshnessWords, messageWords } from "../../../plugin/i18n/freshness";
import { chooseLanguage } from "../../../plugin/i18n/translate";
import { indexStatus } from "../builders";

afterEach(() => { chooseLanguage("en"); });

describe("the footer", () => {
  const LINES: { readonly [K in Freshness["kind"]]: readonly [Extract<Freshness, { kind: K }>, string, string | null] } = {
    off: [{ kind: "off" }, "Not running", "restart"],
    starting: [{ kind: "starting" }, "Starting", null],
    preparing: [{ kind: "preparing" }, "Checking for changes", null],
    trouble: [{ kind: "trouble", engine: "disconnected" }, "Reconnecting", null],
    indexing: [{ kind: "indexing", done: 4_210, total: 16_894, remainingMs: 25_000 }, "Indexing 4,210 of 16,894 notes · 25 s left", "pause"],
    "loading-model": [{ kind: "loading-model", notes: 10 }, "10 notes · loading the model for search by meaning", null],
    updating: [{ kind: "updating", notes: 10, pending: 1 }, "Updating 1 note", null],
    paused: [{ kind: "paused", notes: 10, pending: 3 }, "Paused · 3 notes waiting", "resume"],
    "index-failed": [{ kind: "index-failed", message: "The disk is full.", told: { code: "index-unavailable", args: {} } }, "The disk is full.", "open-settings"],
    deepening: [{ kind: "deepening", notes: 9, done: 1, total: 3, remainingMs: 90_000 }, "Live · 9 notes · 33% deepened · 2 min left", null],
    live: [{ kind: "live", notes: 16_894, problems: 0 }, "Live · 16,894 notes", null],
  };

  test.each(Object.values(LINES))("%j reads %s", (state, text, action) => {
    const words = freshnessWords(state);

    expect([words.text, words.action?.id ?? null]).toEqual([text, action]);
  });

  test("problems can be looked at", () => {
    expect(freshnessWords({ kind: "live", notes: 2, problems: 1 })).toMatchObject({ text: "Live · 2 notes · 1 with problems", action: { id: "open-inspector" } });
  });

  test("a long wait is shown in minutes", () => {
    expect(freshnessWords({ kind: "indexing", done: 1, total: 2, remainingMs: 150_000 }).text).toContain("3 min left");
  });
});

test("what is missing is named in plain words, in the user's language", () => {
  const missing = { retriever: "dense", reason: "the model folder is empty", told: { code: "model-missing", args: { model: "x" } } } as const;

  expect(degradationWords(missing)).toBe("Meaning search is off. The model folder is empty.");
  chooseLanguage("de");
  expect(degradationWords(missing)).toMatch(/^Die Suche nach Bedeutung ist aus\. Das Embedding-Modell „x“ kann nicht verwendet werden\./);
});

test("what a person should know of the index is said in their language, that of a newer engine in English", () => {
  const status = indexStatus({ message: "9 notes are gone at once", told: { code: "notes-kept", args: { count: 9 } } });
  chooseLanguage("de");

  expect(messageWords(indexStatus())).toBeNull();
  expect(messageWords(status)).toMatch(/^9 Notizen sind auf einmal verschwunden/);
  expect(messageWords({ ...status, told: { code: "notes-of-the-future" as StatusCode, args: {} } })).toBe("9 notes are gone at once.");
  expect(deepeningWords({ model: "m", state: "missing", message: "no such model", doneChunks: 0, totalChunks: 0, remainingMs: null })).toMatch(/„m“/);
});
