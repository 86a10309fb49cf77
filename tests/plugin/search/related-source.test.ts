import { beforeEach, expect, test } from "vitest";
import { type RelatedNote, type RelatedResult } from "../../../plugin/protocol/messages";
import { answerOf } from "../../../plugin/search/answer";
import { RelatedSource, type RelatedTo, mentionQuery } from "../../../plugin/search/related-source";
import { FRESHNESS, FakeClient, type ManualClock, hit, manualClock, searchResult, settled } from "../builders";

const WHOLE: RelatedTo = { path: "Glue.md", text: null, names: ["Glue", "Hide glue"] };

let client: FakeClient;
let clock: ManualClock;
let source: RelatedSource;

beforeEach(async () => {
  client = new FakeClient();
  clock = manualClock();
  await clock.advance(5_000);
  source = new RelatedSource({ client, clock, snippetWidth: () => 120, modifiedMs: () => 7, isLinked: (from) => from === "Linked.md" });
});

function note(path: string, linked = false): RelatedNote {
  return { path, kind: "note", title: path.replace(/\.md$/, ""), score: 0.5, cosine: 0.5, linked, headingPath: [], snippet: "about glue", marks: [], start: 0, line: 0, matchStart: 0, matchEnd: 5, anchor: null };
}

function result(...notes: readonly RelatedNote[]): RelatedResult {
  return { notes, retrievers: ["keyword", "dense"], missing: [], index: FRESHNESS };
}

async function answer(related: RelatedResult, ...mentions: readonly string[]): Promise<void> {
  for (const asked of client.asked.slice(-2)) {
    if (asked.method === "related") asked.answer(related);
    else asked.answer(searchResult(...mentions.map((path) => hit(path))));
  }
  await settled();
}

test("a note that is hardly near is left out, and how near the others are is known", async () => {
  source.show({ path: "Glue.md", text: null, names: [] });
  await answer(result({ ...note("Near.md"), cosine: 0.31 }, { ...note("Far.md"), cosine: 0.29 }, { ...note("Unknown.md"), cosine: null }));

  const found = answerOf(source.state);
  expect(found?.hits.map(({ path }) => path)).toEqual(["Near.md", "Unknown.md"]);
  expect([...(found?.similarities ?? [])]).toEqual([["Near.md", 0.31]]);
});

test("a note is compared as a whole, and its names are looked for", () => {
  source.show(WHOLE);

  expect(client.asked.map(({ method, params }) => [method, params])).toEqual([
    ["related", { path: "Glue.md", limit: 10, snippetWidth: 120 }],
    ["search", expect.objectContaining({ query: '"Glue" OR "Hide glue"', mode: "keyword", filters: { notNotes: ["Glue.md"] } })],
  ]);
});

test("linked notes are marked, and those that mention it without a link stand behind", async () => {
  source.show(WHOLE);
  await answer(result(note("Steam.md", true), note("Veneer.md")), "Linked.md", "Mentions.md", "Veneer.md");
  const shown = answerOf(source.state);

  expect(shown?.hits.map(({ path }) => path)).toEqual(["Steam.md", "Veneer.md", "Mentions.md"]);
  expect(shown?.mentionsFrom).toBe(2);
  expect([...(shown?.relations ?? [])]).toEqual([["Mentions.md", "mention"], ["Veneer.md", "mention"], ["Steam.md", "linked"]]);
});

test("a phrase that was given up mentions nothing", async () => {
  source.show(WHOLE);
  client.asked[0]?.answer(result(note("Steam.md")));
  client.asked[1]?.answer({ ...searchResult(hit("Other.md")), relaxed: { step: "any-passage", message: "" } });
  await settled();

  expect(answerOf(source.state)?.hits.map(({ path }) => path)).toEqual(["Steam.md"]);
});

test("of a selected text the note is left out, and no name is looked for", () => {
  source.show({ ...WHOLE, text: "steam opens joints" });

  expect(client.asked.map(({ method, params }) => [method, params])).toEqual([["related", { path: "Glue.md", text: "steam opens joints", limit: 10, snippetWidth: 120 }]]);
});

test("the same note is asked for once", () => {
  source.show(WHOLE);
  source.show({ ...WHOLE });

  expect(client.asked).toHaveLength(2);
});

test("another note supersedes the one before, whose answer is dropped", async () => {
  source.show(WHOLE);
  const [first] = client.asked;
  source.show({ path: "Soup.md", text: null, names: ["Soup"] });
  first?.answer(result(note("Old.md")));
  await answer(result(note("New.md")));

  expect(first?.isCancelled).toBe(true);
  expect(answerOf(source.state)?.hits.map(({ path }) => path)).toEqual(["New.md"]);
});

test("changes of the index ask again once a second, and the rows stay", async () => {
  source.show(WHOLE);
  await answer(result(note("Steam.md")));
  source.refresh();
  source.refresh();
  source.refresh();
  await clock.advance(1_000);

  expect(client.asked.filter(({ method }) => method === "related")).toHaveLength(2);
  await answer(result(note("Steam.md")));
  expect(source.state).toMatchObject({ kind: "results", isRefresh: true });
});

test("without a note there is nothing to ask", async () => {
  source.show(WHOLE);
  await answer(result(note("Steam.md")));
  source.show(null);
  source.refresh();
  await clock.advance(5_000);

  expect(source.state.kind).toBe("idle");
  expect(client.asked).toHaveLength(2);
});

test("an error is a state, with the rows before", async () => {
  source.show(WHOLE);
  for (const asked of client.asked) asked.fail({ kind: "timed-out", afterMs: 1 });
  await settled();

  expect(source.state).toMatchObject({ kind: "failed", failure: { kind: "timed-out" } });
});

test("names make phrases: too short ones and quotes in them are left out", () => {
  expect(mentionQuery(['Say "hi"', "ab", "Glue", "Glue"])).toBe('"Say  hi" OR "Glue"');
  expect(mentionQuery(["ab"])).toBe("");
});
