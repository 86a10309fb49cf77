import { expect, test } from "vitest";
import { viewStateOf } from "../../../plugin/pane/view-state";

test("what was stored comes back", () => {
  expect(viewStateOf({ query: "glue", scroll: 120.5 })).toEqual({ query: "glue", scroll: 120.5 });
});

test.each([null, "x", [], { query: 5, scroll: "9" }, { scroll: Infinity }, { scroll: -3 }])("%j stores nothing", (stored) => {
  expect(viewStateOf(stored)).toEqual({ query: null, scroll: 0 });
});
