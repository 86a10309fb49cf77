import { expect, test } from "vitest";
import { type Hit, type Origin, type SearchResult } from "../../../plugin/protocol/messages";
import { answerFrom } from "../../../plugin/search/answer";
import { addressOf, originOf, tieredRequester } from "../../../plugin/search/tiers";
import { type Reply } from "../../../plugin/sidecar/failure";
import { absentWords, remarkOn } from "../../../plugin/i18n/answer";
import { originWords } from "../../../plugin/i18n/rows";
import { statusWords } from "../../../plugin/i18n/panels";
import { emptyModel } from "../../../plugin/pane/model";
import { answer, FakeClient, hit, indexStatus, LIVE, searchResult, settled } from "../builders";

const HOME: Origin = { kind: "home", name: "Notes", path: "/home/u/Notes" };
const WORK: Origin = { kind: "vault", name: "Work", path: "/home/u/Work" };
const TEAM: Origin = { kind: "team", name: "board", path: null };
const of = (origin: Origin, path: string): Hit => ({ ...hit(path, { furtherPassages: 2, maps: [{ path: "Map.md", title: "Map" }] }), origin }) as Hit;

function asked(tiers: readonly string[]): { client: FakeClient; reply: Promise<Reply<SearchResult>> } {
  const client = new FakeClient();
  return { client, reply: tieredRequester(client, () => tiers).request("search", { query: "glue", limit: 5 }).reply };
}

test("without a tier the engine is asked as ever, and for all else with them", () => {
  const { client } = asked([]);
  tieredRequester(client, () => ["Work"]).request("explain", { query: "glue", path: "a.md" });

  expect(client.asked.map(({ method, params }) => [method, params])).toEqual([["search", { query: "glue", limit: 5 }], ["explain", { query: "glue", path: "a.md" }]]);
});

test("notes of the same name in two vaults are two rows; only those of this vault have further passages", async () => {
  const { client, reply } = asked(["Work", "board"]);
  const found = [of(WORK, "Glue.md"), of(HOME, "Glue.md"), of(TEAM, "Glue.md")];
  client.last.answer({ ...searchResult(...found), absent: [], extract: { path: "Glue.md", text: "Hot." } });
  const given = await reply;
  const hits = given.ok ? given.value.hits : [];

  expect([client.last.method, client.last.params]).toEqual(["tiers/search", { query: "glue", limit: 5, tiers: ["home", "Work", "board"] }]);
  expect(hits.map(({ path, furtherPassages, maps }) => [path, furtherPassages, maps.length])).toEqual([["/home/u/Work/Glue.md", 0, 0], ["Glue.md", 2, 1], ["//board/Glue.md", 0, 0]]);
  expect(hits.map((each) => originOf(each)?.name ?? null)).toEqual(["Work", null, "board"]);
  expect(hits.map(originWords)).toEqual(["Vault: Work", "", "Team: board"]);
  expect(given.ok && given.value.extract?.path).toBe("/home/u/Work/Glue.md");
});

test("where a tier is connected no longer, this vault is searched alone; other failures are told", async () => {
  const gone = asked(["Gone"]);
  gone.client.last.fail({ kind: "refused", message: "no tier is called 'gone'" } as never);
  await settled();
  gone.client.last.answer(searchResult(hit("a.md")));
  const failed = asked(["Work"]);
  failed.client.last.fail({ kind: "timed-out" } as never);

  expect(gone.client.asked.map(({ method }) => method)).toEqual(["tiers/search", "search"]);
  expect((await gone.reply).ok).toBe(true);
  expect(await failed.reply).toEqual({ ok: false, failure: { kind: "timed-out" } });
});

test("a tier that did not answer is named above the rows, also where there are none, behind what was done to the query", () => {
  const absent = [{ origin: WORK, message: { code: "absent.late", args: { name: "Work", ms: 1000 } } }];
  const corrections = [{ typed: "glew", used: "glue", isBeside: false }];
  const late = "Work has not answered within 1,000 ms and is left out. Search again in a moment.";
  const said = (given: ReturnType<typeof answer>): readonly unknown[] => {
    const { tone, text, action } = statusWords({ ...emptyModel("hybrid", LIVE, indexStatus()), search: { kind: "results", answer: given, isRefresh: false } }, false);
    return [tone, text, action?.id ?? null];
  };

  expect(said(answer({ hits: [hit("a.md")], absent }))).toEqual(["warning", late, null]);
  expect(said(answer({ hits: [], absent }))).toEqual(["warning", late, null]);
  expect(said(answer({ hits: [hit("a.md")], query: "glew", absent, corrections }))).toEqual(["warning", `${remarkOn(answer({ corrections }))} ${late}`, "search-typed"]);
  expect(absentWords(answerFrom({ ...searchResult(), absent } as SearchResult, answer()))).toBe(late);
});

test("an address leads to a note as it is written", () => {
  expect(addressOf("/a/b c#d.md", true)).toBe("obsidian://open?path=%2Fa%2Fb%20c%23d.md");
  expect(addressOf("/a/b c#d.md", false)).toBe("file:///a/b%20c%23d.md");
});
