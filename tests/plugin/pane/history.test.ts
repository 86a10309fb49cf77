import { describe, expect, test } from "vitest";
import { ClearedQuery, forget, historyOf, QueryWalk, remember } from "../../../plugin/pane/history";

describe("history", () => {
  test.each([
    ["the newest query comes first", ["old"], "new", ["new", "old"]],
    ["a query that is asked again moves to the front, whatever its case", ["b", "Retry Backoff"], "  retry backoff ", ["retry backoff", "b"]],
    ["a query that was typed on replaces what it began with, if that is the newest", ["retry", "ret"], "retry backoff", ["retry backoff", "ret"]],
  ])("%s", (_, history, query, remembered) => {
    expect(remember(history, query)).toEqual(remembered);
  });

  test("an empty query is not remembered", () => {
    const history = ["a"];

    expect(remember(history, "   ")).toBe(history);
  });

  test("the oldest are forgotten", () => {
    let history: readonly string[] = [];
    for (let index = 1; index <= 20; index += 1) history = remember(history, `query ${index}`);

    expect(history).toHaveLength(12);
    expect(history.at(-1)).toBe("query 9");
  });

  test.each([[null], ["text"], [{ 0: "a" }], [[1, null, " "]]])("%j is no history", (saved) => {
    expect(historyOf(saved)).toEqual([]);
  });

  test("one query can be forgotten", () => {
    expect(forget(["a", "b"], "a")).toEqual(["b"]);
  });
});

describe("query walk", () => {
  test("the query that the box holds is not offered again, and the history as it was is walked", () => {
    const walk = new QueryWalk();

    expect(walk.next("same ", 1, ["same", "older", "oldest"])).toBe("older");
    expect(walk.next("older", 1, ["older", "same", "oldest"])).toBe("oldest");
  });

  test("typing begins another walk", () => {
    const walk = new QueryWalk();
    walk.next("", 1, ["a", "b"]);

    expect(walk.next("ab", 1, ["a", "b"])).toBe("a");
    expect(walk.next("a", -1, [])).toBe("ab");
  });
});

describe("cleared query", () => {
  const after = (...texts: readonly string[]): string | null => {
    const query = new ClearedQuery();
    for (const text of texts) query.observe(text);
    return query.restorable;
  };

  test.each([
    ["a query emptied in one step can be brought back, also when the change is reported twice", ["retry", "", ""], "retry"],
    ["letters deleted one by one are left to the browser's undo", ["retry", "", "re", "r", ""], null],
    ["nothing is brought back over a text", ["retry", "", "b"], null],
  ])("%s", (_, texts, restored) => {
    expect(after(...texts)).toBe(restored);
  });
});
