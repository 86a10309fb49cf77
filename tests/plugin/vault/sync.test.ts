import { beforeEach, expect, test } from "vitest";
import { VaultSync } from "../../../plugin/vault/sync";
import { FakeClient, type ManualClock, manualClock } from "../builders";

let client: FakeClient;
let clock: ManualClock;
let sync: VaultSync;

beforeEach(() => {
  client = new FakeClient();
  clock = manualClock();
  sync = new VaultSync(client, clock);
  sync.setConnected(true);
});

const save = (path: string): void => {
  sync.push({ kind: "modified", path });
};
const sent = (): unknown[] => client.asked.map(({ params }) => (params as { changes: { path: string }[] }).changes.map(({ path }) => path));

test("a burst is sent once, when it has been quiet", async () => {
  save("a.md");
  await clock.advance(50);
  save("b.md");
  await clock.advance(79);
  const before = client.asked.length;
  await clock.advance(1);

  expect(before).toBe(0);
  expect(sent()).toEqual([["a.md", "b.md"]]);
});

test("a stream without a pause is sent all the same", async () => {
  for (let ms = 0; ms < 400; ms += 40) {
    save("a.md");
    await clock.advance(40);
  }

  expect(client.asked).toHaveLength(1);
});

test("nothing is sent while another batch is under way", async () => {
  save("a.md");
  await clock.advance(80);
  save("b.md");
  await clock.advance(500);
  const whileWaiting = client.asked.length;
  client.last.answer({ accepted: 1 });
  await clock.advance(0);

  expect(whileWaiting).toBe(1);
  expect(sent()).toEqual([["a.md"], ["b.md"]]);
});

test("what came while disconnected is sent on connecting", async () => {
  sync.setConnected(false);
  save("a.md");
  await clock.advance(5_000);
  const before = client.asked.length;
  sync.setConnected(true);
  await clock.advance(0);

  expect(before).toBe(0);
  expect(sent()).toEqual([["a.md"]]);
});

test("a batch that failed is sent again, before what came since", async () => {
  save("a.md");
  await clock.advance(80);
  save("b.md");
  client.last.fail({ kind: "timed-out", afterMs: 1 });
  await clock.advance(1_000);

  expect(sent()).toEqual([["a.md"], ["a.md", "b.md"]]);
});

test("a failed batch does not bring back a note that was deleted meanwhile", async () => {
  save("a.md");
  await clock.advance(80);
  sync.push({ kind: "deleted", path: "a.md" });
  client.last.fail({ kind: "disconnected" });
  await clock.advance(1_000);

  expect(client.last.params).toEqual({ changes: [{ kind: "deleted", path: "a.md" }] });
});

test("a stopped sync sends nothing more", async () => {
  save("a.md");
  sync.stop();
  await clock.advance(5_000);

  expect(client.asked).toEqual([]);
});
