import { expect, test } from "vitest";
import { ClearedQuery } from "../../../plugin/pane/cleared-query";

const after = (...texts: readonly string[]): string | null => {
  const query = new ClearedQuery();
  for (const text of texts) query.observe(text);
  return query.restorable;
};

test("a query emptied in one step can be brought back, also when the change is reported twice", () => {
  expect(after("retry", "", "")).toBe("retry");
});

test("letters deleted one by one are left to the browser's undo", () => {
  expect(after("retry", "", "re", "r", "")).toBeNull();
});

test("nothing is brought back over a text", () => {
  expect(after("retry", "", "b")).toBeNull();
});
