import { expect, test } from "vitest";
import { joined, pageAfter } from "../../../plugin/search/pages";
import { hit } from "../builders";

test("a page holds what is wanted, a hundred hits at most, and no more than there are", () => {
  expect(pageAfter(0, 30)).toEqual({ offset: 0, limit: 30 });
  expect(pageAfter(30, 60)).toEqual({ offset: 30, limit: 30 });
  expect(pageAfter(0, 250)).toEqual({ offset: 0, limit: 100 });
  expect(pageAfter(90, 120, 95)).toEqual({ offset: 90, limit: 5 });
  expect(pageAfter(95, 120, 95)).toBeNull();
  expect(pageAfter(40, 30)).toBeNull();
});

test("a note that moved between pages stands once", () => {
  const paths = joined([hit("a.md"), hit("b.md")], [hit("b.md"), hit("c.md")]).map(({ path }) => path);

  expect(paths).toEqual(["a.md", "b.md", "c.md"]);
});
