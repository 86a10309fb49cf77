import { expect, test } from "vitest";
import { QueryWalk } from "../../../plugin/pane/query-walk";

test("a walk leads back through the history and on to where it began", () => {
  const walk = new QueryWalk();
  let text = "typed";
  const went = [1, 1, 1, -1, -1, -1].map((step) => {
    const query = walk.next(text, step, ["newest", "oldest"]);
    text = query ?? text;
    return query;
  });

  expect(went).toEqual(["newest", "oldest", null, "newest", "typed", null]);
});

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
