import { describe, beforeEach, expect, test } from "vitest";
import { type Passage } from "../../../plugin/protocol/messages";
import { PassageLoader, type SearchOfHit, widePassage } from "../../../plugin/search/passage-loader";
import { FakeClient, hit, passage, searchResult, settled } from "../builders";

describe("passage loader", () => {
  const SEARCH: SearchOfHit = { query: "retry", mode: "keyword", limit: 20, typing: false };
  const SECOND: Passage = passage({ start: 50, snippet: "the second" });
  const FOLDED = { kind: "folded" };

  let client: FakeClient;
  let loader: PassageLoader;
  let search: SearchOfHit | null;
  let changed: string[];

  beforeEach(() => {
    client = new FakeClient();
    loader = new PassageLoader(client, () => search);
    search = SEARCH;
    changed = [];
    loader.changed.listen((path) => changed.push(path));
  });

  async function unfolded(path: string): Promise<void> {
    loader.unfold(path);
    client.last.answer({ passages: [SECOND], truncated: false });
    await settled();
  }

  test("a hit that is loading or unfolded is not asked for again", async () => {
    loader.unfold("a.md");
    loader.unfold("a.md");
    client.last.answer({ passages: [SECOND], truncated: false });
    await settled();
    loader.unfold("a.md");

    expect(client.asked).toHaveLength(1);
  });

  test("folding cancels the request, and its answer is ignored", async () => {
    loader.unfold("a.md");
    loader.fold("a.md");
    client.last.answer({ passages: [SECOND], truncated: false });
    await settled();

    expect(client.last.isCancelled).toBe(true);
    expect(loader.stateOf("a.md")).toEqual(FOLDED);
  });

  test("cancelling everything folds first requests and keeps passages that were loaded", async () => {
    await unfolded("a.md");
    search = { ...SEARCH, typing: true };
    loader.reload(new Set(["a.md"]));
    loader.unfold("b.md");
    loader.cancelAll();
    await settled();

    expect(client.asked.map(({ isCancelled }) => isCancelled)).toEqual([false, true, true]);
    expect(loader.stateOf("a.md")).toEqual({ kind: "unfolded", passages: [SECOND] });
    expect(loader.stateOf("b.md")).toEqual(FOLDED);
  });

  test("after a change of the index hits that are gone or failed are folded", async () => {
    await unfolded("gone.md");
    loader.unfold("failed.md");
    client.last.fail({ kind: "disconnected" });
    await settled();
    loader.reload(new Set(["failed.md", "other.md"]));

    expect([loader.stateOf("gone.md"), loader.stateOf("failed.md")]).toEqual([FOLDED, FOLDED]);
    expect(client.asked).toHaveLength(2);
  });

  test("another query folds all hits", async () => {
    await unfolded("a.md");
    loader.unfold("b.md");
    changed = [];
    loader.foldAll();

    expect([loader.stateOf("a.md"), loader.stateOf("b.md")]).toEqual([FOLDED, FOLDED]);
    expect(changed).toEqual(["a.md", "b.md"]);
  });
});

describe("wide passage", () => {
  const asked = { query: "glue", mode: "keyword", limit: 30, snippetWidth: 120, typing: true } as const;

  test("asks for all passages of the one note, at length, and takes the one that starts there", async () => {
    const client = new FakeClient();
    const found = widePassage(client, asked, "a.md", 40);
    client.last.answer(searchResult(hit("a.md", { passages: [passage(), passage({ start: 40, snippet: "long" })] })));

    expect(client.last.params).toMatchObject({ query: "glue", mode: "keyword", typing: true, limit: 1, expand: true, snippetWidth: 1_000, filters: { notes: ["a.md"] } });
    expect((await found)?.snippet).toBe("long");
  });

  test("a passage that is gone, or an engine that is gone, gives nothing", async () => {
    const client = new FakeClient();
    const gone = widePassage(client, asked, "a.md", 40);
    client.last.answer(searchResult(hit("a.md")));
    const refused = widePassage(client, asked, "a.md", 40);
    client.last.fail({ kind: "not-connected" });

    expect([await gone, await refused]).toEqual([null, null]);
  });
});
