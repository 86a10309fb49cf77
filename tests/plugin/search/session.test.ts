import { beforeEach, describe, expect, test } from "vitest";
import { type SearchResult } from "../../../plugin/protocol/messages";
import { type SearchState, answerOf } from "../../../plugin/search/answer";
import { SearchSession } from "../../../plugin/search/session";
import { FakeClient, type ManualClock, explained, hit, manualClock, passage, searchResult, settled } from "../builders";

let client: FakeClient;
let clock: ManualClock;
let session: SearchSession;
let states: SearchState[];

beforeEach(async () => {
  client = new FakeClient();
  clock = manualClock();
  await clock.advance(1_000);
  session = new SearchSession(client, clock, { mode: "hybrid", limit: 30, snippetWidth: 120 });
  states = [];
  session.changed.listen((state) => states.push(state));
});

const kinds = (): string[] => states.map(({ kind }) => kind);
const queries = (): unknown[] => client.asked.map(({ params }) => (params as { query: string }).query);

async function results(query: string, ...paths: readonly string[]): Promise<void> {
  session.setQuery(query);
  await clock.advance(60); // asked by then, and answered before meaning counts as slow
  client.last.answer(searchResult(...paths.map((path) => hit(path))));
  await settled();
}

describe("typing", () => {
  test("keys that follow fast are asked at a pace, the last one always", async () => {
    session.setQuery("r");
    await clock.advance(20);
    session.setQuery("re");
    await clock.advance(20);
    session.setQuery("ret");
    await clock.advance(20);

    expect(queries()).toEqual(["r", "ret"]);
  });

  test("the same words with other white space are the same query", () => {
    session.setQuery("retry");
    session.setQuery(" retry ");

    expect(queries()).toEqual(["retry"]);
  });

  test("asks for what the pane is set to", () => {
    session.setQuery("retry");

    expect(client.last.params).toEqual({ query: "retry", mode: "hybrid", extract: true, limit: 30, typing: true, paused: false, maxTokens: 100_000, snippetWidth: 120, expandSmallResults: false });
  });

  test("a newer query supersedes the older, which is abandoned", async () => {
    session.setQuery("r");
    await clock.advance(100);
    session.setQuery("re");

    expect(client.asked[1]?.params).toMatchObject({ query: "re", supersedes: 1 });
    expect(client.asked[0]?.isAbandoned).toBe(true);
  });

  test("an answer to an older query is never shown", async () => {
    session.setQuery("r");
    await clock.advance(100);
    session.setQuery("re");
    client.asked[1]?.answer(searchResult(hit("new.md")));
    await settled();
    client.asked[0]?.answer(searchResult(hit("old.md")));
    await settled();

    const shown = states.flatMap((state) => (state.kind === "results" ? state.answer.hits.map(({ path }) => path) : []));
    expect(shown).toEqual(["new.md"]);
  });

  test("an answer that comes while the next query waits for its turn is not shown", async () => {
    session.setQuery("r");
    session.setQuery("re");
    client.last.answer(searchResult(hit("old.md")));
    await settled();
    const meanwhile = session.state.kind;
    await clock.advance(1_000);
    client.last.answer(searchResult(hit("new.md")));
    await settled();

    expect(meanwhile).toBe("searching");
    expect(session.state).toMatchObject({ kind: "results", answer: { query: "re", hits: [{ path: "new.md" }] } });
  });

  test("the answer has the time that the user waited", async () => {
    session.setQuery("retry");
    await clock.advance(23);
    client.last.answer(searchResult(hit("a.md")));
    await settled();

    expect(session.state).toMatchObject({ kind: "results", answer: { tookMs: 23 } });
  });

  test("an emptied box cancels what is under way and shows nothing", async () => {
    session.setQuery("retry");
    session.setQuery("");
    await settled();

    expect(client.last.isCancelled).toBe(true);
    expect(kinds()).toEqual(["searching", "idle"]);
  });

  test("a query that was waiting for its turn is not asked once the box is empty", async () => {
    session.setQuery("r");
    session.setQuery("re");
    session.setQuery("");
    await clock.advance(1_000);

    expect(queries()).toEqual(["r"]);
  });
});

describe("when the typing rests", () => {
  const asked = (): unknown[] => client.asked.map(({ params }) => [(params as { query: string }).query, (params as { typing: boolean }).typing]);

  async function typed(query: string, ...snippets: readonly string[]): Promise<void> {
    session.setQuery(query);
    client.last.answer(searchResult(...snippets.map((snippet, index) => hit(`${index}.md`, { passages: [passage({ snippet })] }))));
    await settled();
  }

  test("a word that is the beginning of another stays one, so the rows stay as well", async () => {
    await typed("retr", "retry it");
    await clock.advance(5_000);
    session.refresh();

    expect(asked()).toEqual([["retr", true], ["retr", true]]);
  });

  test("a word that begins nothing is asked as a whole word, once and quietly", async () => {
    await typed("refrences", "retry it");
    await clock.advance(599);
    const before = client.asked.length;
    await clock.advance(1);
    client.last.answer(searchResult());
    await clock.advance(5_000);

    expect(before).toBe(1);
    expect(asked()).toEqual([["refrences", true], ["refrences", false]]);
    expect(kinds()).toEqual(["searching", "results", "results"]);
  });

  test("a corrected answer is a new one, an answer that is the same is not", async () => {
    await typed("refrences");
    session.finishTyping();
    client.last.answer({ ...searchResult(hit("a.md")), corrections: [{ typed: "refrences", used: "references" }] });
    await settled();
    const corrected = session.state;
    await clock.advance(100);
    await typed("xyzzy", "other words");
    session.finishTyping();
    client.last.answer(searchResult(hit("a.md")));
    await settled();

    expect(corrected).toMatchObject({ kind: "results", isRefresh: false });
    expect(session.state).toMatchObject({ kind: "results", isRefresh: true });
  });

  test("the next key begins the wait anew", async () => {
    await typed("ref", "refer to it");
    await clock.advance(100);
    await typed("refrence");
    await clock.advance(500);
    await typed("refrences");
    await clock.advance(500);

    expect(asked()).toEqual([["ref", true], ["refrence", true], ["refrences", true]]);
  });

  test("an answer that is late is judged when it comes", async () => {
    session.setQuery("refrences");
    await clock.advance(2_000);
    client.last.answer(searchResult());
    await settled();

    expect(asked()).toEqual([["refrences", true], ["refrences", false]]);
  });

  test("while a word is typed that nothing goes on with, the rows before it stay; at rest they follow", async () => {
    await typed("hide", "hide glue");
    await clock.advance(100);
    await typed("hidex");
    const before = session.state;
    await clock.advance(600);
    client.last.answer(searchResult(hit("a.md")));
    await settled();

    expect(before).toMatchObject({ kind: "searching", previous: { query: "hide" }, unmatched: { query: "hidex", hits: [] } });
    expect(session.state.kind).toBe("results");
    expect(client.last.params).toMatchObject({ query: "hidex", typing: false, paused: true });
  });

  test("the next key after a word that nothing goes on with is on its way as any other", async () => {
    await typed("hide", "hide glue");
    await clock.advance(100);
    await typed("hidex");
    await clock.advance(100);
    session.setQuery("hide");

    expect(session.state).toEqual({ kind: "searching", query: "hide", previous: expect.objectContaining({ query: "hide" }) as unknown });
  });

  test.each([["into an empty box", ""], ["in place of another query", "glue"]])("a word that was put in whole, %s, is not waited for", async (_, before) => {
    if (before !== "") await typed(before, "hide glue");
    await clock.advance(100);
    await typed("refrences");

    expect(asked().slice(-2)).toEqual([["refrences", true], ["refrences", false]]);
    expect(states.every((state) => state.kind !== "searching" || !state.unmatched)).toBe(true);
  });

  test("a word that another goes on from gets its meaning once typing rests", async () => {
    await typed("retr", "retry it");
    await clock.advance(600);

    expect(client.asked.map(({ params }) => (params as { paused: boolean }).paused)).toEqual([false, true]);
    expect(asked()).toEqual([["retr", true], ["retr", true]]);
  });

  test("rows that someone chooses among stay", async () => {
    await typed("refrences", "retry it");
    session.freezeRows();
    await clock.advance(5_000);
    session.finishTyping();

    expect(asked()).toEqual([["refrences", true]]);
  });
});

test("a note is explained as the open query was asked", async () => {
  session.setQuery("retr");
  client.last.answer(searchResult(hit("a.md")));
  await settled();
  const reply = session.explain("b.md");
  const { method, params } = client.last;
  client.last.answer(explained({ path: "b.md" }));

  expect([method, params]).toEqual(["explain", { query: "retr", path: "b.md", mode: "hybrid", limit: 30, typing: true, paused: false }]);
  expect(await reply).toMatchObject({ ok: true, value: { path: "b.md" } });
});

test("a hit that was opened is reported with the query that found it", async () => {
  session.report("a.md", "opened"); // no answer yet: nothing to report
  session.setQuery("retry", true);
  client.last.answer(searchResult(hit("a.md")));
  await settled();
  const before = client.asked.length;

  session.report("a.md", "opened");

  expect(client.asked.slice(before).map(({ method, params }) => [method, params])).toEqual([
    ["feedback", { query: "retry", path: "a.md", kind: "opened" }],
  ]);
});

describe("failing", () => {
  test("a cancelled search is silence", async () => {
    session.setQuery("retry");
    client.last.fail({ kind: "cancelled" });
    await settled();

    expect(kinds()).toEqual(["searching"]);
  });
});

describe("refreshing", () => {
  test("asks the open query again and shows nothing as pending", async () => {
    await results("retry", "a.md");
    states = [];
    session.refresh();
    await clock.advance(1_000);
    client.last.answer(searchResult(hit("a.md"), hit("b.md")));
    await settled();

    expect(states).toMatchObject([{ kind: "results", isRefresh: true, answer: { hits: [{ path: "a.md" }, { path: "b.md" }] } }]);
  });

  test("many changes of the index are one question", async () => {
    await results("retry", "a.md");
    for (let index = 0; index < 10; index += 1) session.refresh();
    await clock.advance(250);

    expect(queries()).toEqual(["retry", "retry"]);
  });

  test("a change while an answer is awaited is asked for after it", async () => {
    await results("retry", "a.md");
    session.refresh();
    await clock.advance(250);
    session.refresh();
    client.last.answer(searchResult(hit("a.md")));
    await clock.advance(250);

    expect(queries()).toHaveLength(3);
  });

  test("a change does not hold up a query that is about to be asked", async () => {
    session.setQuery("r");
    client.last.answer(searchResult());
    await settled();
    session.setQuery("re");
    session.refresh();
    await clock.advance(60);

    expect(queries()).toEqual(["r", "re"]);
  });

  test("nothing is asked when there is no query", async () => {
    session.refresh();
    await clock.advance(1_000);

    expect(client.asked).toEqual([]);
  });
});

test("a closed session cancels and asks nothing more", async () => {
  session.setQuery("r");
  session.setQuery("re");
  session.close();
  await clock.advance(1_000);

  expect(client.asked.map(({ isCancelled }) => isCancelled)).toEqual([true]);
});

describe("more hits", () => {
  const page = (from: number, to: number, reachable: number): SearchResult => ({
    ...searchResult(...Array.from({ length: to - from }, (_, at) => hit(`${from + at}.md`))),
    total: reachable + 5,
    reachable,
  });
  const found = async (query: string, count: number, reachable: number): Promise<void> => {
    session.setQuery(query);
    await clock.advance(60);
    client.last.answer(page(0, count, reachable));
    await settled();
  };
  const asked = (): unknown => {
    const { offset = 0, limit } = client.last.params as { offset?: number; limit: number };
    return [offset, limit];
  };
  const shown = (): number => answerOf(session.state)?.hits.length ?? 0;

  test("come page by page, and those that are there stay, up to the end", async () => {
    await found("retry", 30, 130);
    const pages: unknown[] = [];
    for (const from of [30, 60, 90, 120]) {
      session.more();
      pages.push(asked());
      client.last.answer(page(from, Math.min(130, from + 30), 130));
      await settled();
    }
    session.more();

    expect(pages).toEqual([[30, 30], [60, 30], [90, 30], [120, 10]]);
    expect(client.asked).toHaveLength(5);
    expect(shown()).toBe(130);
    expect(states.at(-1)).toMatchObject({ kind: "results", isRefresh: true });
  });

  test("are asked for again when the index has changed, a hundred at a time", async () => {
    await found("retry", 30, 130);
    for (const from of [30, 60, 90]) {
      session.more();
      client.last.answer(page(from, from + 30, 130));
      await settled();
    }
    session.refresh();
    await clock.advance(1_000);
    const first = asked();
    client.last.answer(page(0, 100, 130));
    await settled();
    const second = asked();
    client.last.answer(page(99, 120, 130)); // one note moved down meanwhile
    await settled();

    expect([first, second]).toEqual([[0, 100], [100, 20]]);
    expect(shown()).toBe(120);
  });

  test("are not asked for where there are none, or twice at once", async () => {
    await found("retry", 3, 3);
    session.more();
    const none = client.asked.length;
    await found("retry b", 30, 90);
    session.more();
    session.more();

    expect([none, client.asked.length]).toEqual([1, 3]);
  });

  test("follow a refresh that is on its way", async () => {
    await found("retry", 30, 31);
    session.refresh();
    await clock.advance(1_000);
    session.more();
    client.last.answer(page(0, 30, 31));
    await settled();
    const rest = asked();
    client.last.answer(page(30, 31, 31));
    await settled();

    expect([rest, shown()]).toEqual([[30, 1], 31]);
  });

  test("that are not in sight follow when typing pauses", async () => {
    session.setOptions({ mode: "hybrid", limit: 30, first: 12, snippetWidth: 120 });
    await found("retry", 12, 130);
    const first = asked();
    await clock.advance(500);
    const early = client.asked.length;
    await clock.advance(300);
    const rest = asked();
    client.last.answer(page(12, 30, 130));
    await settled();
    await clock.advance(1_000);
    const after = client.asked.length;
    session.more();

    expect([first, early, rest, after, asked()]).toEqual([[0, 12], 1, [12, 18], 2, [30, 30]]);
    expect(states.at(-1)).toMatchObject({ kind: "results", isRefresh: true });
  });

  test("that are not in sight do not replace a refresh that is due", async () => {
    session.setOptions({ mode: "hybrid", limit: 30, first: 12, snippetWidth: 120 });
    await found("retry", 12, 130);
    session.refresh();
    await clock.advance(1_000);

    expect((client.last.params as { offset?: number }).offset).toBeUndefined();
  });

  test("that are not in sight are not asked for while somebody types", async () => {
    session.setOptions({ mode: "hybrid", limit: 30, first: 12, snippetWidth: 120 });
    await found("retry", 12, 130);
    await clock.advance(300);
    await found("retry b", 12, 130);
    await clock.advance(300);

    expect(client.asked.map(({ params }) => (params as { offset?: number }).offset)).toEqual([undefined, undefined]);
  });

  test("that are not in sight keep no key waiting", async () => {
    session.setOptions({ mode: "hybrid", limit: 30, first: 12, snippetWidth: 120 });
    await found("retry", 12, 130);
    await clock.advance(750);
    const before = asked();
    session.setQuery("retry b");

    expect([before, queries()]).toEqual([[12, 18], ["retry", "retry", "retry b"]]);
  });

  test("belong to their query", async () => {
    await found("retry", 30, 90);
    session.more();
    session.setQuery("retry b");
    await clock.advance(100);

    expect(client.last.params).toMatchObject({ query: "retry b", limit: 30 });
  });

  test("stand in the order that was chosen", async () => {
    await found("retry", 30, 90);
    session.setSort("name");
    const first = client.last.params;
    client.last.answer({ ...page(0, 30, 90), sort: "name" });
    await settled();
    session.more();

    expect(first).toMatchObject({ query: "retry", sort: "name" });
    expect(client.last.params).toMatchObject({ sort: "name", offset: 30 });
  });
});

test("a wider pane asks for longer excerpts without losing its rows", async () => {
  await results("retry", "a.md");
  session.setOptions({ mode: "hybrid", limit: 30, snippetWidth: 400 });
  await clock.advance(1_000);

  expect(client.last.params).toMatchObject({ query: "retry", snippetWidth: 400 });
  expect(states.at(-1)?.kind).toBe("results");
});
