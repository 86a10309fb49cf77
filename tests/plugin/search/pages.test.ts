import { beforeEach, describe, expect, test } from "vitest";
import { type Hit } from "../../../plugin/protocol/messages";
import { answerOf } from "../../../plugin/search/answer";
import { mergeStages, SLOW_MS, steady } from "../../../plugin/search/pages";
import { SearchSession } from "../../../plugin/search/session";
import { type Asked, FakeClient, hit, type ManualClock, manualClock, searchResult, settled } from "../builders";

describe("typing is calm", () => {
  const scored = (scores: Readonly<Record<string, number>>): readonly Hit[] => Object.entries(scores).map(([path, score]) => hit(path, { title: path, score })).sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
  const order = (before: readonly string[], scores: Readonly<Record<string, number>>, typed = "xyz"): readonly string[] => steady(before.map((path) => hit(path)), scored(scores), typed).map(({ path }) => path);

  test("a leading row keeps its place until another is better by a margin, which is less for the first place", () => {
    expect(order(["a", "b", "c"], { b: 0.54, a: 0.5, d: 0.36, c: 0.3 })).toEqual(["a", "b", "c", "d"]);
    expect(order(["a", "b", "c"], { b: 0.56, a: 0.5, d: 0.46, c: 0.3 })).toEqual(["b", "a", "d", "c"]);
  });

  test("a title that goes on as was typed stays longer; from the middle of a word it does not", () => {
    expect(order(["Digital gardening"], { notes: 0.7, "Digital gardening": 0.45 }, "digital ga")).toEqual(["Digital gardening", "notes"]);
    expect(order(["Digital gardening"], { notes: 0.7, "Digital gardening": 0.45 }, "igital ga")).toEqual(["notes", "Digital gardening"]);
  });

  test("a row that is no longer found leaves its place to the best", () => {
    expect(order(["gone", "b"], { c: 0.5, b: 0.4, a: 0.2 })).toEqual(["c", "b", "a"]);
  });
});

describe("stages", () => {
  const hits = (...paths: readonly string[]): readonly Hit[] => paths.map((path) => hit(path));
  const pathsOf = (found: readonly Hit[]): readonly string[] => found.map(({ path }) => path);

  describe("what meaning adds comes in below", () => {
    test("the first three that hold every word keep their places", () => {
      expect(pathsOf(mergeStages(hits("a", "b", "c", "d"), hits("x", "d", "c", "b", "a"), false))).toEqual(["a", "b", "c", "x", "d"]);
    });

    test("one that lacks a word ends the prefix", () => {
      const first = [hit("a"), hit("b", { missingWords: ["lager"] }), hit("c")];

      expect(pathsOf(mergeStages(first, hits("x", "c", "b", "a"), false))).toEqual(["a", "x", "c", "b"]);
    });

    test("once the user is among them, all that are still found stay", () => {
      expect(pathsOf(mergeStages(hits("a", "b", "c", "d", "gone"), hits("x", "d", "c", "b", "a"), true))).toEqual(["a", "b", "c", "d", "x"]);
    });

    test("without a first stage the order is the engine's, and a hit is the later answer's", () => {
      expect(pathsOf(mergeStages([], hits("b", "a"), true))).toEqual(["b", "a"]);
      expect(mergeStages([hit("a", { score: 1 })], [hit("a", { score: 2 })], false)[0]?.score).toBe(2);
    });
  });

  describe("a session", () => {
    let client: FakeClient;
    let clock: ManualClock;
    let session: SearchSession;

    beforeEach(async () => {
      client = new FakeClient();
      clock = manualClock();
      await clock.advance(1_000);
      session = new SearchSession(client, clock, { mode: "hybrid", limit: 30, snippetWidth: 120 });
    });

    const asked = (): readonly string[] => client.asked.map(({ params }) => `${(params as { mode: string }).mode} ${(params as { query: string }).query}`);
    const shown = (): readonly string[] => pathsOf(answerOf(session.state)?.hits ?? []);

    /** Types `query`, whose answer takes `ms`; what was asked for it. */
    async function typed(query: string, ms: number): Promise<readonly Asked[]> {
      const before = client.asked.length;
      session.setQuery(query);
      await clock.advance(ms);
      return client.asked.slice(before);
    }

    async function slowAnswer(): Promise<void> {
      const [whole] = await typed("r", SLOW_MS + 1);
      whole?.answer(searchResult(hit("a")));
      await settled();
    }

    test("asks once while answers are quick", async () => {
      const [whole] = await typed("r", SLOW_MS);
      whole?.answer(searchResult(hit("a")));
      await settled();
      await typed("re", 1);

      expect(asked()).toEqual(["hybrid r", "hybrid re"]);
    });

    test("shows words first once meaning was slow, then both below them", async () => {
      await slowAnswer();
      const [words, both] = await typed("re", 1);
      words?.answer(searchResult(hit("a"), hit("b")));
      await settled();
      expect([asked().slice(1), shown()]).toEqual([["keyword re", "hybrid re"], ["a", "b"]]);

      both?.answer(searchResult(hit("x"), hit("b"), hit("a")));
      await settled();
      expect([shown(), session.state.kind === "results" && session.state.isRefresh]).toEqual([["a", "b", "x"], true]);
    });

    test("words that come after the whole answer, or find nothing, show nothing", async () => {
      await slowAnswer();
      const [words, both] = await typed("re", 1);
      words?.answer(searchResult());
      await settled();
      expect(session.state.kind).toBe("searching");
      both?.answer(searchResult(hit("x")));
      await settled();

      expect([shown(), words?.isCancelled]).toEqual([["x"], true]);
    });

    test("the next key cancels both stages", async () => {
      await slowAnswer();
      const [words, both] = await typed("re", 70);
      await typed("ret", 1);

      expect([words?.isCancelled, both?.isAbandoned]).toEqual([true, true]);
    });
  });
});
