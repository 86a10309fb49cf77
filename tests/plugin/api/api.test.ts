import { beforeEach, expect, test } from "vitest";
import { type ApiHandle, createApi } from "../../../plugin/api/api";
import type { QuarryApi, QuarrySearchOptions } from "../../../plugin/api/quarry-api";
import { type Mark } from "../../../plugin/protocol/messages";
import { FakeClient, FRESHNESS, hit, LIVE, passage, searchResult, settled, TestEngine } from "../builders";

let client: FakeClient;
let handle: ApiHandle;
let api: QuarryApi;
let engine: TestEngine;
let logged: string[];

beforeEach(() => {
  client = new FakeClient();
  engine = new TestEngine();
  logged = [];
  handle = createApi({
    client,
    engine,
    openSearch: (query) => logged.push(`open ${query}`),
    log: (line) => logged.push(line),
  });
  ({ api } = handle);
});

test("a search gives hits in the API's own words", async () => {
  const reply = api.search("retry", { mode: "keyword", limit: 3 });
  const marks: readonly Mark[] = [{ start: 0, end: 5, kind: "word" }, { start: 0, end: 9, kind: "sentence" }];
  client.last.answer({ ...searchResult(hit("a.md", { matchedBy: "words", tags: ["x"], passages: [passage({ marks, line: 4, matchStart: 70, matchEnd: 75 })] })), corrections: [{ typed: "rety", used: "retry" }] });

  expect(client.last).toMatchObject({ method: "search", params: { query: "retry", mode: "keyword", limit: 3, snippetWidth: 240 } });
  expect(await reply).toEqual({
    ok: true,
    value: {
      hits: [{
        path: "a.md", title: "a", confidence: 0.9, foundBy: "words", missingWords: [], modifiedMs: 0, tags: ["x"],
        passage: { headings: ["Backoff"], snippet: "retry with capped backoff", marks: [{ start: 0, end: 5 }], line: 4, start: 70, end: 75 },
      }],
      total: 1, isWeak: false, corrections: [{ typed: "rety", used: "retry" }], relaxed: null, isComplete: true,
    },
  });
});

test("related notes are asked for by the path as the index has it", async () => {
  const reply = api.related("Cafe\u0301.md");
  client.last.answer({ notes: [{ path: "b.md", title: "b", score: 1, linked: true, ...passage() }], retrievers: [], missing: [], index: FRESHNESS });

  expect(client.last).toMatchObject({ method: "related", params: { path: "Caf\u00e9.md", limit: 10 } });
  expect(await reply).toMatchObject({ ok: true, value: [{ path: "b.md", isLinked: true, passage: { snippet: "retry with capped backoff" } }] });
});

test.each([
  ["", {}], [7, {}], ["x".repeat(5_000), {}], ["x", { limit: 0 }], ["x", { limit: 1.5 }], ["x", { limit: "3" }],
  ["x", { snippetLength: 5 }], ["x", { mode: "fast" }], ["x", { signal: {} }],
])("what is out of range is refused before the engine is asked: %#", async (query, options) => {
  const reply = await api.search(query as string, options as QuarrySearchOptions);

  expect(reply).toMatchObject({ ok: false, error: { kind: "bad-argument", position: null } });
  expect(client.asked).toEqual([]);
});

test("options may be null in the JavaScript of others", () => {
  void api.search("x", null as unknown as undefined);

  expect(client.asked).toHaveLength(1);
});

test("a signal cancels the request in the engine, also one that was aborted before", async () => {
  const controller = new AbortController();
  const reply = api.search("x", { signal: controller.signal });
  controller.abort();

  expect(client.last.isCancelled).toBe(true);
  expect(await reply).toMatchObject({ ok: false, error: { kind: "cancelled" } });
  expect(await api.search("x", { signal: controller.signal })).toMatchObject({ ok: false, error: { kind: "cancelled" } });
  expect(client.asked).toHaveLength(1);
});

test("failures are values, and a bad query has its position", async () => {
  const bad = api.search("(x");
  client.last.fail({ kind: "bad-query", message: "a bracket is missing", next: "close it", position: 2 });
  const late = api.search("x");
  client.last.fail({ kind: "timed-out", afterMs: 10_000 });
  engine.setState({ kind: "starting" });

  expect(await bad).toEqual({ ok: false, error: { kind: "bad-query", message: "A bracket is missing. Close it.", position: 2 } });
  expect(await late).toMatchObject({ ok: false, error: { kind: "timed-out" } });
  expect(await api.search("x")).toMatchObject({ ok: false, error: { kind: "not-ready" } });
});

test("a ninth request at a time is refused, and one after an answer is not", async () => {
  const waiting = Array.from({ length: 8 }, () => api.search("x"));
  const ninth = await api.search("x");
  client.last.answer(searchResult());
  await settled();
  void api.search("x");

  expect(ninth).toMatchObject({ ok: false, error: { kind: "busy" } });
  expect(waiting).toHaveLength(8);
  expect(client.asked).toHaveLength(9);
});

test("readiness is told once, at once where it is there, and not after it was taken back", () => {
  const told: string[] = [];
  api.onReady(() => told.push("now"));
  engine.setState({ kind: "starting" });
  api.onReady(() => told.push("later"));
  api.onReady(() => told.push("never"))();
  engine.setState({ kind: "disconnected" });
  engine.setState(LIVE);
  engine.setState(LIVE);

  expect(told).toEqual(["now", "later"]);
});

test("a callback that throws stops neither the others nor Quarry", () => {
  const told: string[] = [];
  api.onIndexUpdated(() => { throw new Error("of theirs"); });
  api.onIndexUpdated(() => told.push("told"));
  engine.indexUpdated.emit();

  expect(told).toEqual(["told"]);
  expect(logged).toEqual(["A callback of another plugin failed: Error: of theirs"]);
});

test("when Quarry is turned off, what waits is settled, listeners are forgotten and nothing more is done", async () => {
  const told: string[] = [];
  api.onIndexUpdated(() => told.push("updated"));
  const waiting = api.search("x");
  handle.close();
  engine.indexUpdated.emit();
  api.onIndexUpdated(() => told.push("updated"));
  api.onReady(() => told.push("ready"));
  api.openSearch("x");
  engine.indexUpdated.emit();

  expect(await waiting).toMatchObject({ ok: false, error: { kind: "unloaded" } });
  expect(await api.search("x")).toMatchObject({ ok: false, error: { kind: "unloaded" } });
  expect(api.isReady()).toBe(false);
  expect([told, logged]).toEqual([[], []]);
  expect(client.last.isCancelled).toBe(true);
});

test("the API is frozen and has functions and its version alone: no token, no connection", () => {
  expect(Object.isFrozen(api)).toBe(true);
  expect(Object.entries(api).filter(([, value]) => typeof value !== "function")).toEqual([["version", 1]]);
  expect(Object.keys(api).sort()).toEqual(["isReady", "onIndexUpdated", "onReady", "openSearch", "related", "search", "version"]);
});
