import { expect, test } from "vitest";
import { forget, historyOf, remember } from "../../../plugin/search/history";

test("the newest query comes first", () => {
  expect(remember(["old"], "new")).toEqual(["new", "old"]);
});

test("a query that is asked again moves to the front, whatever its case", () => {
  expect(remember(["b", "Retry Backoff"], "  retry backoff ")).toEqual(["retry backoff", "b"]);
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

test("a query that was typed on replaces what it began with, if that is the newest", () => {
  expect(remember(["retry", "ret"], "retry backoff")).toEqual(["retry backoff", "ret"]);
});

test("one query can be forgotten", () => {
  expect(forget(["a", "b"], "a")).toEqual(["b"]);
});
