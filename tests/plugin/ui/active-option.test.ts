// @vitest-environment jsdom
import { emptyBody } from "./dom";
import { beforeEach, expect, test } from "vitest";
import { ActiveOption, initOption } from "../../../plugin/ui/active-option";

let input: HTMLInputElement;
let listEl: HTMLElement;
let active: ActiveOption;

beforeEach(() => {
  input = emptyBody().createEl("input");
  listEl = document.body.createDiv({ attr: { id: "rows" } });
  active = new ActiveOption(input, listEl);
});

function option(): HTMLElement {
  const el = document.body.createDiv();
  initOption(el);
  return el;
}

test("the selected option is marked, and the input points at it", () => {
  const [a, b] = [option(), option()];
  active.show(a);
  active.show(b);

  expect([a, b].map((el) => el.getAttribute("aria-selected"))).toEqual(["false", "true"]);
  expect([a, b].map((el) => el.hasClass("is-selected"))).toEqual([false, true]);
  expect(input.getAttribute("aria-activedescendant")).toBe(b.id);
  expect([input.getAttribute("aria-controls"), input.getAttribute("aria-expanded")]).toEqual(["rows", "true"]);
});

test("no options, nothing to point at", () => {
  active.show(option());
  active.show(null);

  expect(active.el).toBeNull();
  expect(input.hasAttribute("aria-activedescendant")).toBe(false);
  expect(input.getAttribute("aria-expanded")).toBe("false");
});

test("a list without a box points at the option itself", () => {
  const a = option();
  new ActiveOption(null, listEl).show(a);

  expect(listEl.getAttribute("aria-activedescendant")).toBe(a.id);
  expect(listEl.hasAttribute("aria-expanded")).toBe(false);
});
