// @vitest-environment jsdom
import { emptyBody, one } from "./dom";
import { beforeEach, expect, test } from "vitest";
import { IndexStatusLine } from "../../../plugin/ui/index-status";
import { type ActionId } from "../../../plugin/pane/commands";

let el: HTMLElement;
let acted: ActionId[];

beforeEach(() => {
  el = emptyBody().createDiv();
  acted = [];
});

test("shows the state as text, as a colour, and for style sheets", () => {
  new IndexStatusLine(el).show({ kind: "live", notes: 3, problems: 0 });

  expect(one(el, ".quarry-status-text").textContent).toBe("Live · 3 notes");
  expect(el.dataset).toMatchObject({ tone: "good", state: "live" });
  expect(one(el, ".quarry-dot").getAttribute("aria-hidden")).toBe("true");
});

test("offers the action that fits, and none when none does", () => {
  const line = new IndexStatusLine(el, (action) => acted.push(action));
  line.show({ kind: "indexing", done: 1, total: 2, remainingMs: null });
  const button = one(el, "button.quarry-status-action");
  button.click();
  line.show({ kind: "paused", notes: 1, pending: 0 });
  button.click();
  line.show({ kind: "live", notes: 2, problems: 0 });
  button.click();

  expect(acted).toEqual(["pause", "resume"]);
  expect(button.hasClass("is-hidden")).toBe(true);
});

test("a screen reader is told of a change of state, and not of every count", () => {
  const line = new IndexStatusLine(el, () => undefined);
  const said: (string | null)[] = [];
  for (const done of [1, 2]) {
    line.show({ kind: "indexing", done, total: 2, remainingMs: null });
    said.push(el.getAttribute("aria-live"));
  }
  line.show({ kind: "live", notes: 2, problems: 0 });

  expect([el.getAttribute("role"), ...said, el.getAttribute("aria-live")]).toEqual(["status", "polite", "off", "polite"]);
});

test("its text opens the inspector of the index, where there are actions", () => {
  new IndexStatusLine(el, (action) => acted.push(action)).show({ kind: "live", notes: 3, problems: 0 });
  one(el, "button.quarry-status-text").click();

  expect(acted).toEqual(["open-inspector"]);
});

test("has no button in the status bar", () => {
  new IndexStatusLine(el).show({ kind: "paused", notes: 1, pending: 0 });

  expect(el.querySelector("button")).toBeNull();
});
