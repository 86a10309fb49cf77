// @vitest-environment jsdom
import { emptyBody } from "./dom";
import { beforeEach, expect, test } from "vitest";
import { type Option, OptionList, initOption } from "../../../plugin/ui/option-list";

let input: HTMLInputElement;
let list: OptionList<Option>;

beforeEach(() => {
  input = emptyBody().createEl("input");
  list = new OptionList(input, "rows");
});

function options(...keys: readonly string[]): Option[] {
  return keys.map((key) => {
    const el = document.body.createDiv();
    initOption(el);
    return { key, el };
  });
}

test("the first is selected, and the input points at it", () => {
  const [a, b] = options("a", "b");
  if (!a || !b) throw new Error("no options");
  list.setOptions([a, b], false);

  expect(input.getAttribute("aria-activedescendant")).toBe(a.el.id);
  expect(input.getAttribute("aria-expanded")).toBe("true");
  expect([a, b].map(({ el }) => el.getAttribute("aria-selected"))).toEqual(["true", "false"]);
});

test("no options, nothing to point at", () => {
  list.setOptions(options("a"), false);
  list.setOptions([], false);

  expect(list.selected).toBeNull();
  expect(input.hasAttribute("aria-activedescendant")).toBe(false);
  expect(input.getAttribute("aria-expanded")).toBe("false");
});

test("moving stops at the ends", () => {
  list.setOptions(options("a", "b", "c"), false);
  const moves = [list.move(-1), list.move(1), list.move(5), list.move(1)];

  expect(moves).toEqual([false, true, true, false]);
  expect(list.selected?.key).toBe("c");
});

test("the selection stays on its key in another order", () => {
  list.setOptions(options("a", "b", "c"), false);
  list.move(1);
  list.setOptions(options("c", "a", "b"), true);

  expect(list.selected?.key).toBe("b");
  expect(document.querySelectorAll('[aria-selected="true"]')).toHaveLength(1);
});

test("it goes to the first when its key is gone", () => {
  list.setOptions(options("a", "b"), false);
  list.move(1);
  list.setOptions(options("x", "y"), true);

  expect(list.selected?.key).toBe("x");
});

test("a key that is not there cannot be chosen", () => {
  list.setOptions(options("a"), false);
  list.selectKey("z");

  expect(list.selected?.key).toBe("a");
});
