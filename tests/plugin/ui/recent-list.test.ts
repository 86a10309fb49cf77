// @vitest-environment jsdom
import { emptyBody, one, texts } from "./dom";
import { beforeEach, expect, test } from "vitest";
import { RecentList } from "../../../plugin/ui/recent-list";

let el: HTMLElement;
let list: RecentList;

beforeEach(() => {
  el = emptyBody().createDiv();
  list = new RecentList(el);
});

test("queries are options, as text", () => {
  list.show(["<b>gateway</b>", "backoff"]);

  expect(texts(el, '[role="option"]')).toEqual(["<b>gateway</b>", "backoff"]);
  expect(list.optionAt(one(el, ".quarry-recent"))?.query).toBe("<b>gateway</b>");
  expect(list.optionAt(el)).toBeNull();
});

test("the same queries keep their elements, others replace them", () => {
  list.show(["gateway", "backoff"]);
  const first = one(el, ".quarry-recent");
  list.show(["gateway", "backoff"]);
  const kept = one(el, ".quarry-recent");
  list.show(["gateway"]);

  expect(kept).toBe(first);
  expect(texts(el, ".quarry-recent")).toEqual(["gateway"]);
  expect(list.options).toHaveLength(1);
});
