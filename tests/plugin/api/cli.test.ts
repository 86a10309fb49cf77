import { beforeEach, expect, test } from "vitest";
import { createApi } from "../../../plugin/api/api";
import { type CliCommand, cliCommands } from "../../../plugin/api/cli";
import { FakeClient, FRESHNESS, hit, passage, searchResult, TestEngine } from "../builders";

let client: FakeClient;
let commands: Map<string, CliCommand>;

beforeEach(() => {
  client = new FakeClient();
  const { api } = createApi({ client, engine: new TestEngine(), openSearch: () => undefined, log: () => undefined });
  commands = new Map(cliCommands(api).map((command) => [command.id, command]));
});

async function printed(id: string, params: Record<string, string>, result: unknown): Promise<string> {
  const output = commands.get(id)?.run(params);
  if (result !== null) client.last.answer(result);
  return (await output) ?? "";
}

test("hits are printed with their place, confidence and passage", async () => {
  const output = await printed("quarry", { query: "retry", limit: "5", mode: "keyword" }, searchResult(hit("Work/a.md", { passages: [passage({ line: 11 })] })));

  expect(output).toBe("Work/a.md:12  90%\n  retry with capped backoff");
  expect(client.last).toMatchObject({ params: { query: "retry", limit: 5, mode: "keyword" } });
});

test("what a note says cannot steer the terminal, in words or as JSON", async () => {
  const hostile = searchResult(hit("a\u001b[2J.md", { passages: [passage({ snippet: "x\u001b]0;title\u0007\u202e\u009b31m\ny" })] }));
  const words = await printed("quarry", { query: "x" }, hostile);
  const json = await printed("quarry", { query: "x", json: "true" }, hostile);

  expect(words).toBe("a [2J.md:1  90%\n  x ]0;title 31m y");
  expect(["\u0007", "\u001b", "\u009b", "\u202e"].filter((one) => json.includes(one))).toEqual([]);
  expect((JSON.parse(json) as { value: { hits: { path: string; passage: { snippet: string } }[] } }).value.hits[0]).toMatchObject({ path: "a\u001b[2J.md", passage: { snippet: "x\u001b]0;title\u0007\u202e\u009b31m\ny" } });
});

test("paths alone are one a line, and none is nothing", async () => {
  expect(await printed("quarry", { query: "x", paths: "true" }, searchResult(hit("a.md"), hit("b.md")))).toBe("a.md\nb.md");
  expect(await printed("quarry", { query: "x", paths: "true" }, searchResult())).toBe("");
  expect(await printed("quarry", { query: "x" }, searchResult())).toBe("No notes found.");
});

test("weak answers say so", async () => {
  expect(await printed("quarry", { query: "x" }, { ...searchResult(hit("a.md", { passages: [] })), weakness: "no-words" })).toBe("No note is a likely answer. The nearest:\na.md  90%");
});

test.each([[{ query: "" }], [{ query: "x", limit: "many" }], [{ query: "x", limit: " " }], [{ query: "x", mode: "fast" }]])("a bad argument is named: %o", async (params) => {
  expect(await printed("quarry", params as Record<string, string>, null)).toMatch(/^Error: (query|limit|mode) must be/);
  expect(client.asked).toEqual([]);
});

test("related notes are listed, the linked ones as such", async () => {
  const notes = [{ path: "b.md", title: "b", score: 1, linked: true, ...passage() }];

  expect(await printed("quarry:related", { path: "a.md" }, { notes, retrievers: [], missing: [], index: FRESHNESS })).toBe("b.md:1 (linked)\n  retry with capped backoff");
});
