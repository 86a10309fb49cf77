import { beforeEach, describe, expect, test } from "vitest";
import { Emitter } from "../../../plugin/emitter";
import { type SearchResult } from "../../../plugin/protocol/messages";
import { ignoredBy } from "../../../plugin/search/answer";
import { NamesFallback } from "../../../plugin/search/names-fallback";
import { type Reply } from "../../../plugin/sidecar/failure";
import { FakeClient, hit, indexStatus, LIVE, type ManualClock, manualClock, MISSING, searchResult, TestEngine } from "../builders";

let engine: TestEngine;
let client: FakeClient;
let clock: ManualClock;
let read: string[];
let changed: Emitter<void>;
let fallback: NamesFallback;

beforeEach(() => {
  engine = new TestEngine();
  engine.setState(MISSING);
  client = new FakeClient();
  clock = manualClock();
  read = [];
  changed = new Emitter();
  const names = {
    changed,
    search: (query: string) => {
      read.push(query);
      const hits = ["Boat", "Tea"].filter((name) => query.startsWith(name.toLowerCase())).map((name) => hit(`${name}.md`));
      return Promise.resolve({ hits, total: hits.length, ignored: query.split(" ").slice(1) });
    },
  };
  fallback = new NamesFallback(client, engine, names, clock);
});

/** The paths of a reply, or why there are none. */
function said(reply: Reply<SearchResult>): readonly string[] | string {
  return reply.ok ? reply.value.hits.map(({ path }) => path) : reply.failure.kind;
}

const search = (query: string): ReturnType<typeof fallback.request<"search">> => fallback.request("search", { query, limit: 10 });

test("without an engine the names answer, and say so", async () => {
  const reply = await search("boat created:7d").reply;

  expect(said(reply)).toEqual(["Boat.md"]);
  expect(reply.ok && ignoredBy(reply.value)).toEqual(["created:7d"]);
  expect(client.asked).toEqual([]);
});

test("an engine that is there is asked, no name is read, and its answer is its own", async () => {
  engine.setState(LIVE);
  engine.status = indexStatus({ indexedMs: 1 });
  const pending = search("boat");
  client.last.answer(searchResult());
  const reply = await pending.reply;

  expect(said(reply)).toEqual([]);
  expect(reply.ok && ignoredBy(reply.value)).toBeNull();
  expect(read).toEqual([]);
});

test("the engine is not told to cancel what it was never asked", () => {
  const { id } = search("boat");
  engine.setState(LIVE);
  fallback.request("search", { query: "boats", supersedes: id });

  expect(client.last.params).toEqual({ query: "boats" });
});

test("what is cancelled settles as cancelled", async () => {
  const pending = search("boat");
  pending.abandon();

  expect(said(await pending.reply)).toBe("cancelled");
});

test("other requests go to the engine as they are", () => {
  void fallback.request("explain", { query: "boat", path: "Boat.md" });

  expect(client.last.method).toBe("explain");
});

describe("while the engine starts", () => {
  beforeEach(() => {
    engine.setState({ kind: "starting" });
  });

  test("it is waited for, and asked when it is there", async () => {
    const pending = search("boat");
    await clock.advance(500);
    engine.setState(LIVE);
    await clock.advance(0);
    client.last.answer(searchResult(hit("Engine.md")));

    expect(said(await pending.reply)).toEqual(["Engine.md"]);
    expect(read).toEqual([]);
  });

  test("one that takes long is waited for once", async () => {
    const first = search("boat");
    await clock.advance(1_500);

    expect(said(await first.reply)).toEqual(["Boat.md"]);
    expect(said(await search("tea").reply)).toEqual(["Tea.md"]);
  });

  test("one that turns out to be missing is not waited for", async () => {
    const pending = search("boat");
    engine.setState(MISSING);

    expect(said(await pending.reply)).toEqual(["Boat.md"]);
  });
});

describe("while a vault is indexed for the first time", () => {
  beforeEach(() => {
    engine.setState(LIVE);
    engine.status = indexStatus({ indexedMs: null });
  });

  test("names answer what the index has nothing for yet", async () => {
    const pending = search("boat");
    client.last.answer(searchResult());

    expect(said(await pending.reply)).toEqual(["Boat.md"]);
  });

  test("names come first, then what the index has, each note once and without a verdict on a part of the vault", async () => {
    const pending = search("boat");
    client.last.answer({ ...searchResult(hit("Engine.md"), hit("Boat.md")), weakness: "unlikely", unknownWords: ["boat"] });
    const reply = await pending.reply;

    expect(said(reply)).toEqual(["Boat.md", "Engine.md"]);
    expect(reply.ok && [reply.value.weakness, reply.value.unknownWords, ignoredBy(reply.value)]).toEqual([null, [], null]);
  });

  test("names neither answer a query with filters beside the index nor come again on its next page", async () => {
    const filtered = search("boat created:7d");
    client.last.answer(searchResult(hit("Engine.md")));
    const next = fallback.request("search", { query: "boat", limit: 10, offset: 10 });
    client.last.answer(searchResult(hit("Later.md")));

    expect([said(await filtered.reply), said(await next.reply)]).toEqual([["Engine.md"], ["Later.md"]]);
  });
});

test("answers may differ when the index changes, names do without an engine, or the engine is gone for good", () => {
  let updates = 0;
  fallback.updated.listen(() => { updates += 1; });
  changed.emit();
  engine.setState({ kind: "starting" });
  engine.setState(LIVE);
  changed.emit();
  const byNames = updates;
  engine.indexUpdated.emit();
  engine.setState(MISSING);

  expect([byNames, updates]).toEqual([1, 3]);
});
