import { describe, expect, test } from "vitest";
import { type SearchState } from "../../../plugin/search/answer";
import { type EngineState } from "../../../plugin/sidecar/supervisor";
import { degradation, freshness, helpState, isQuiet, paneState } from "../../../plugin/pane/state";
import { MISSING, answer, hit, indexStatus } from "../builders";

const live: EngineState = { kind: "live", version: "0.1.0", isOurs: true };
const results = (...paths: readonly string[]): SearchState => ({ kind: "results", answer: answer({ hits: paths.map((path) => hit(path)) }), isRefresh: false });
const progress = { doneNotes: 4_210, totalNotes: 16_894, doneChunks: 12_000, notesPerSecond: 500, remainingMs: 25_000 };

describe("the body", () => {
  test.each<[EngineState]>([
    [MISSING],
    [{ kind: "unapproved", program: "/bin/quarry", isDeclined: false }],
    [{ kind: "outdated", program: null, version: null, protocol: null }],
    [{ kind: "occupied", pid: 1 }],
    [{ kind: "failed", failure: { kind: "unreachable" }, log: "" }],
    [{ kind: "disconnected" }],
  ])("trouble with the engine comes before anything about a search: %j", (engine) => {
    expect(paneState(engine, null, results("a.md"), false)).toEqual(engine);
  });

  test("rows found by names stand in place of it, and a search that goes on keeps them", () => {
    const found = answer({ hits: [hit("a.md")], byNames: { ignored: [] } });

    expect(paneState(MISSING, null, { kind: "results", answer: found, isRefresh: false }, false)).toEqual({ kind: "results", answer: found });
    expect(paneState(MISSING, null, { kind: "searching", query: "b", previous: found }, false)).toEqual({ kind: "searching" });
    expect(paneState(MISSING, null, { kind: "results", answer: { ...found, hits: [] }, isRefresh: false }, false)).toEqual(MISSING);
    expect([helpState(MISSING), helpState(live)]).toEqual([MISSING, null]);
  });

  test("a start is no reason to hide recent searches", () => {
    expect(paneState({ kind: "starting" }, null, { kind: "idle" }, true)).toEqual({ kind: "empty", hasHistory: true });
  });

  test("an engine that has not begun is starting", () => {
    expect(paneState({ kind: "stopped" }, null, { kind: "idle" }, false)).toEqual({ kind: "starting" });
  });

  test("nothing found while indexing is not the last word", () => {
    expect(paneState(live, indexStatus({ state: "indexing", progress }), results(), false)).toMatchObject({ kind: "no-results", isIndexing: true });
    expect(paneState(live, indexStatus(), results(), false)).toMatchObject({ kind: "no-results", isIndexing: false });
  });

  test("a query that cannot be read brings its position", () => {
    const failure = { kind: "bad-query", message: "no closing quote", next: "", position: 3 } as const;

    expect(paneState(live, indexStatus(), { kind: "failed", query: "x", failure, previous: null }, false)).toEqual(failure);
  });

  test("a search that met a lost connection waits for the next", () => {
    const search: SearchState = { kind: "failed", query: "x", failure: { kind: "disconnected" }, previous: null };

    expect(paneState(live, indexStatus(), search, false)).toEqual({ kind: "searching" });
  });
});

describe("the line about what is missing", () => {
  const missing = [{ retriever: "dense", reason: { code: "status.model-missing", args: { model: "x", detail: "It is missing." } } }] as const;

  test("comes from the answer, which knows what served it", () => {
    const search: SearchState = { kind: "results", answer: answer({ hits: [hit("a.md")], missing }), isRefresh: false };

    expect(degradation(indexStatus(), search)).toEqual(missing[0]);
    expect(degradation(indexStatus({ missing }), results("a.md"))).toBeNull();
  });

  test("and from the index while there is no answer", () => {
    expect(degradation(indexStatus({ missing }), { kind: "idle" })).toEqual(missing[0]);
  });
});

describe("the footer", () => {
  test("counts while indexing", () => {
    expect(freshness(live, indexStatus({ state: "indexing", progress }))).toEqual({ kind: "indexing", done: 4_210, total: 16_894, remainingMs: 25_000 });
  });

  test("is live when nothing waits, and updating when something does", () => {
    expect(freshness(live, indexStatus({ notes: 5 }))).toEqual({ kind: "live", notes: 5, problems: 0, sentTo: null });
    const backfill = { model: "m", state: "running", message: null, doneChunks: 3, totalChunks: 12, remainingMs: 4_000, sentTo: null } as const;
    expect(freshness(live, indexStatus({ notes: 5, backfill }))).toEqual({ kind: "backfill", notes: 5, done: 3, total: 12, remainingMs: 4_000, sentTo: null });
    expect(freshness(live, indexStatus({ notes: 5, backfill: { ...backfill, state: "complete", doneChunks: 12 } }))).toMatchObject({ kind: "live" });
    expect(freshness(live, indexStatus({ notes: 5, pending: 2 }))).toEqual({ kind: "updating", notes: 5, pending: 2 });
  });

  test("is starting until the first status came", () => {
    expect(freshness(live, null)).toEqual({ kind: "starting" });
  });

  test("looks for changes only where something is indexed", () => {
    expect(freshness(live, indexStatus({ state: "scanning", indexedMs: null }))).toEqual({ kind: "listing" });
    expect(freshness(live, indexStatus({ state: "scanning" }))).toEqual({ kind: "preparing" });
  });

  test("names the trouble", () => {
    expect(freshness({ kind: "disconnected" }, null)).toEqual({ kind: "trouble", engine: "disconnected" });
  });
});

describe("a model that is still being loaded", () => {
  const loading = indexStatus({ model: { name: "bundled", state: "loading", message: null }, missing: [{ retriever: "dense", reason: { code: "status.model-loading", args: {} } }] });

  test("is no trouble", () => {
    expect(degradation(loading, { kind: "idle" })).toBeNull();
    expect(degradation({ ...loading, model: { ...loading.model, state: "missing" } }, { kind: "idle" })?.retriever).toBe("dense");
  });

  test("is told in the footer", () => {
    expect(freshness(live, loading)).toEqual({ kind: "loading-model", notes: 3 });
  });
});

test("the status bar is quiet unless there is work or trouble", () => {
  expect(isQuiet(freshness(live, indexStatus()))).toBe(true);
  expect(isQuiet(freshness(live, indexStatus({ state: "indexing", progress })))).toBe(false);
  expect(isQuiet(freshness({ kind: "disconnected" }, null))).toBe(false);
});
