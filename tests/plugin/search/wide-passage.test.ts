import { expect, test } from "vitest";
import { widePassage } from "../../../plugin/search/wide-passage";
import { FakeClient, hit, passage, searchResult } from "../builders";

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
