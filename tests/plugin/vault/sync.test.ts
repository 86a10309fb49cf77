import { beforeEach, describe, expect, test } from "vitest";
import { VaultSync } from "../../../plugin/vault/sync";
import { FakeClient, type ManualClock, manualClock } from "../builders";

let client: FakeClient;
let clock: ManualClock;
let sync: VaultSync;
let logged: string[];

beforeEach(() => {
  client = new FakeClient();
  clock = manualClock();
  logged = [];
  sync = new VaultSync(client, clock, (line) => logged.push(line));
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

test("a stopped sync sends nothing more", async () => {
  save("a.md");
  sync.stop();
  await clock.advance(5_000);

  expect(client.asked).toEqual([]);
});

describe("a batch that the engine refuses", () => {
  const refused = { kind: "refused", reason: "invalid-params", message: "no", next: "" } as const;

  /** Answers as a sidecar that refuses every batch with one of `bad` in it, until nothing more is asked. */
  async function refuseThoseWith(...bad: readonly string[]): Promise<void> {
    for (let answered = 0; answered < client.asked.length; answered += 1) {
      const { changes } = client.last.params as { changes: { path: string }[] };
      if (changes.some(({ path }) => bad.includes(path))) client.last.fail(refused);
      else client.last.answer({ accepted: changes.length });
      await clock.advance(0);
    }
  }

  test("is told in halves, in order, until the change to blame is alone, which is dropped", async () => {
    for (const path of ["a.md", "b.md", "bad.md", "c.md"]) save(path);
    await clock.advance(80);
    await refuseThoseWith("bad.md");
    await clock.advance(60_000);

    expect(sent()).toEqual([["a.md", "b.md", "bad.md", "c.md"], ["a.md", "b.md"], ["bad.md", "c.md"], ["bad.md"], ["c.md"]]);
    expect(logged).toEqual(["Dropped a change that the engine rejected: modified, invalid-params"]);
  });

  test("is kept where the connection ends between its halves", async () => {
    save("a.md");
    save("b.md");
    await clock.advance(80);
    client.last.fail(refused);
    await clock.advance(0);
    client.last.fail({ kind: "disconnected" });
    await clock.advance(1_000);

    expect(sent()).toEqual([["a.md", "b.md"], ["a.md"], ["a.md", "b.md"]]);
    expect(logged).toEqual([]);
  });

  test("is told again whole where the refusal will pass", async () => {
    save("a.md");
    await clock.advance(80);
    client.last.fail({ ...refused, reason: "busy" });
    await clock.advance(1_000);

    expect(sent()).toEqual([["a.md"], ["a.md"]]);
    expect(logged).toEqual([]);
  });

  test("is not told further by a stopped sync", async () => {
    save("a.md");
    save("b.md");
    await clock.advance(80);
    sync.stop();
    client.last.fail(refused);
    await clock.advance(5_000);

    expect(client.asked).toHaveLength(1);
  });
});

test("a path that the wire cannot carry is not sent, and named in no report", async () => {
  save("half\ud83d.md");
  save(`${"x".repeat(4_094)}.md`);
  save("a.md");
  await clock.advance(80);

  expect(sent()).toEqual([["a.md"]]);
  expect(logged).toEqual(Array(2).fill("Path cannot be encoded: modified reported as nothing"));
});
