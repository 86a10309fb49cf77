import { expect, test } from "vitest";
import { type ExampleSource, exampleSource } from "../../../../plugin/ui/pane/empty-box";
import { FakeClient, settled } from "../../builders";

function asking(): { client: FakeClient; source: ExampleSource; changes: string[] } {
  const client = new FakeClient();
  const changes: string[] = [];
  const source = exampleSource(client, (found) => changes.push(found.join("|")));
  return { client, source, changes };
}
const found = (...queries: string[]): object => ({ examples: queries.map((query) => ({ query, path: "a.md" })) });

test("three are asked for, in the user's language", async () => {
  const { client, source, changes } = asking();
  void source.ask();
  client.last.answer(found("a?", "b?", "c?"));
  await settled();

  expect([client.last.method, client.last.params]).toEqual(["search/examples", { language: "en", limit: 3 }]);
  expect(changes).toEqual(["a?|b?|c?"]);
});

test("once there are three, they stay", async () => {
  const { client, source } = asking();
  void source.ask();
  void source.ask();
  client.last.answer(found("a?", "b?", "c?"));
  await settled();
  void source.ask();

  expect(client.asked).toHaveLength(1);
});

test("while there are fewer, they are asked for again, and what stays the same is no change", async () => {
  const { client, source, changes } = asking();
  for (const queries of [["a?"], ["a?"], ["a?", "b?"]]) {
    void source.ask();
    client.last.answer(found(...queries));
    await settled();
  }

  expect(client.asked).toHaveLength(3);
  expect(changes).toEqual(["a?", "a?|b?"]);
});

test("an engine that knows no examples gives none", async () => {
  const { client, source, changes } = asking();
  void source.ask();
  client.last.fail({ kind: "timed-out", afterMs: 5_000 });
  await settled();

  expect(changes).toEqual([""]);
});

test("what is cancelled says nothing, and can be asked for again", async () => {
  const { client, source, changes } = asking();
  void source.ask();
  source.close();
  await settled();
  void source.ask();

  expect(client.asked.map(({ isCancelled }) => isCancelled)).toEqual([true, false]);
  expect(changes).toEqual([]);
});
