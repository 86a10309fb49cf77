import { afterEach, describe, expect, test } from "vitest";
import { backfillWords, degradationWords, exceptionWords, freshnessWords, indexFacts, messageWords, problemWords, reasonWords, reportWords, wayOutWords } from "../../../plugin/i18n/inspection";
import { chooseLanguage } from "../../../plugin/i18n/translate";
import { type Freshness } from "../../../plugin/pane/state";
import { type NoteReport } from "../../../plugin/protocol/messages";
import { indexStatus } from "../builders";

afterEach(() => { chooseLanguage("en"); });

describe("the footer", () => {
  const LINES: { readonly [K in Freshness["kind"]]: readonly [Extract<Freshness, { kind: K }>, string, string | null] } = {
    off: [{ kind: "off" }, "Not running", "restart"],
    starting: [{ kind: "starting" }, "Starting", null],
    listing: [{ kind: "listing" }, "Listing the notes", null],
    preparing: [{ kind: "preparing" }, "Checking for changes", null],
    trouble: [{ kind: "trouble", engine: "disconnected" }, "Reconnecting", null],
    indexing: [{ kind: "indexing", done: 4_210, total: 16_894, remainingMs: 25_000 }, "Indexing 4,210 of 16,894 notes · 25 s left", "pause"],
    "loading-model": [{ kind: "loading-model", notes: 10 }, "10 notes · loading the model for search by meaning", null],
    updating: [{ kind: "updating", notes: 10, pending: 1 }, "Updating 1 note", null],
    paused: [{ kind: "paused", notes: 10, pending: 3 }, "Paused · 3 notes still to index", "resume"],
    "index-failed": [{ kind: "index-failed", message: { code: "status.index-unavailable", args: { detail: "The disk is full." } } }, "The disk is full.", "open-settings"],
    backfill: [{ kind: "backfill", notes: 9, done: 1, total: 3, remainingMs: 90_000, sentTo: null }, "Live · 9 notes · 33% backfilled · 2 min left", null],
    live: [{ kind: "live", notes: 16_894, problems: 0, sentTo: null }, "Live · 16,894 notes", null],
  };

  test.each(Object.values(LINES))("%j reads %s", (state, text, action) => {
    const words = freshnessWords(state);

    expect([words.text, words.action?.id ?? null]).toEqual([text, action]);
  });

  test("problems can be looked at", () => {
    expect(freshnessWords({ kind: "live", notes: 2, problems: 0, sentTo: "https://example.com:443" }).text).toBe("Live · 2 notes · texts are sent to https://example.com:443");
    expect(freshnessWords({ kind: "live", notes: 2, problems: 1, sentTo: null })).toEqual({ text: "Live · 2 notes · 1 with problems", action: null });
  });

  test("a long wait is shown in minutes", () => {
    expect(freshnessWords({ kind: "indexing", done: 1, total: 2, remainingMs: 150_000 }).text).toContain("3 min left");
  });
});

test("what is missing is named in plain words, in the user's language", () => {
  const missing = { retriever: "dense", reason: { code: "status.model-missing", args: { model: "x", detail: "its folder is empty." } } } as const;

  expect(degradationWords(missing)).toBe("Meaning search is off. The embedding model “x” cannot be used: its folder is empty.");
  chooseLanguage("de");
  expect(degradationWords(missing)).toMatch(/^Die Suche nach Bedeutung ist aus\. Das Embedding-Modell „x“ kann nicht verwendet werden\./);
});

test("what a person should know of the index is said in their language", () => {
  const status = indexStatus({ message: { code: "status.notes-kept", args: { count: 9 } } });
  chooseLanguage("de");

  expect(messageWords(indexStatus())).toBeNull();
  expect(messageWords(status)).toMatch(/^9 Notizen sind auf einmal verschwunden/);
  expect(backfillWords({ model: "m", state: "missing", message: "no such model", doneChunks: 0, totalChunks: 0, remainingMs: null, sentTo: null })).toMatch(/„m“/);
});

const REPORT: NoteReport = {
  path: "a.md", state: "indexed", reasons: [], modifiedMs: 2, sizeBytes: 3,
  indexed: { title: "A", chunks: 2, words: 300, languages: [], redactions: { password: 2, token: 1 }, skippedSections: ["Links"], hasVectors: false, modifiedMs: 1, sizeBytes: 3 },
};

test("what is not simply found is counted by state", () => {
  const counts = { indexed: 5, partial: 0, hidden: 0, waiting: 0, excluded: 1400, failed: 1, withoutVectors: 2 };

  expect(exceptionWords(counts)).toBe("1,400 excluded · 1 failed · 2 waiting for search by meaning");
});

test("a reason is said with its entry, and with what the engine knows in detail", () => {
  expect(reasonWords({ code: "reason.folders-exclude", args: { entry: "A {plugin}" } })).toBe("The settings exclude the folder “A {plugin}”.");
  expect(reasonWords({ code: "reason.any-status", args: {} })).toBe("It is indexed, but the settings exclude notes with its status.");
  chooseLanguage("de");
  expect(reasonWords({ code: "reason.other", args: { detail: "It is odd." } })).toBe("Sie konnte nicht indiziert werden (It is odd.).");
});

test("a problem names its note; one of the settings says which of them", () => {
  const problem = { path: "A.md", reason: { code: "reason.unreadable", args: { detail: "Permission denied" } }, skipped: true } as const;
  const setting = { path: "", reason: { code: "reason.settings", args: { detail: "Unknown key 'serach'." } }, skipped: false } as const;

  expect(problemWords(problem)).toBe("A.md (not indexed): It cannot be read: Permission denied.");
  expect(problemWords(setting)).toBe("Unknown key 'serach'.");
});

test("a note that is found: what of it is indexed, credentials as a count", () => {
  const { sentences, facts } = reportWords(REPORT);

  expect(sentences).toEqual(["This note is in the index and can be found."]);
  expect(Object.fromEntries(facts)).toMatchObject({ Passages: "2", Words: "300", "Credentials redacted": "3", "Sections left out": "Links", "Search by meaning": "not ready yet" });
});

test("facts that are not known are left out", () => {
  const labels = indexFacts(indexStatus({ indexedMs: null, builtMs: null }), null, 0).map(([label]) => label);

  expect(labels).toEqual(["Notes", "Passages", "Size on disk", "Model"]);
});

test("a way out names the folder", () => {
  expect(wayOutWords({ kind: "include", folder: "Archive" })).toBe("Include “Archive” in Quarry");
  expect(wayOutWords({ kind: "retry" })).toBe("Try again");
});
