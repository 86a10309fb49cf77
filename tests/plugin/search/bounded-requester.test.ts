import { beforeEach, expect, test } from "vitest";
import { type Requester } from "../../../plugin/sidecar/client";
import { boundedRequester } from "../../../plugin/search/bounded-requester";
import { FakeClient, searchResult, settled } from "../builders";

let client: FakeClient;
let bounded: Requester;

beforeEach(() => {
  client = new FakeClient();
  bounded = boundedRequester(client, 2);
});

const queries = (): unknown[] => client.asked.map(({ params }) => (params as { query: string }).query);

test("no more than so many requests are on their way, and the others follow in order", async () => {
  for (const query of ["a", "b", "c", "d"]) bounded.request("search", { query });

  expect(queries()).toEqual(["a", "b"]);
  client.asked[1]?.answer(searchResult());
  await settled();
  expect(queries()).toEqual(["a", "b", "c"]);
});

test("one that waits and is cancelled is never sent", async () => {
  for (const query of ["a", "b"]) bounded.request("search", { query });
  const waiting = bounded.request("search", { query: "c" });
  waiting.cancel();
  client.asked[0]?.answer(searchResult());
  await settled();

  expect(await waiting.reply).toEqual({ ok: false, failure: { kind: "cancelled" } });
  expect(queries()).toEqual(["a", "b"]);
});

test("one that was sent is cancelled in the engine, and makes room", async () => {
  const first = bounded.request("search", { query: "a" });
  for (const query of ["b", "c"]) bounded.request("search", { query });
  first.cancel();
  await settled();

  expect(client.asked[0]?.isCancelled).toBe(true);
  expect(queries()).toEqual(["a", "b", "c"]);
});
