import { describe, expect, test } from "vitest";
import { type Freshness } from "../../../plugin/pane/state";
import { degradationWords, freshnessWords } from "../../../plugin/wording/freshness";

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
    "index-failed": [{ kind: "index-failed", message: "The disk is full." }, "The disk is full.", "open-settings"],
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

test("what is missing is named in plain words", () => {
  expect(degradationWords({ leg: "dense", reason: "The model folder is empty." })).toBe("Meaning search is off. The model folder is empty.");
});
