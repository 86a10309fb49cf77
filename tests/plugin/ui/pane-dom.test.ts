// @vitest-environment jsdom
import { emptyBody, one } from "./dom";
import { expect, test } from "vitest";
import { type PaneHandlers, buildPane } from "../../../plugin/ui/pane-dom";
import { manualClock } from "../builders";

const NO_NAMES = { folders: [], tags: [], properties: [], valuesOf: () => [] };
const handlers: PaneHandlers = {
  clock: manualClock(),
  act: () => undefined,
  toggleSaved: () => undefined,
  forget: () => undefined,
  copy: () => undefined,
  chooseMode: () => undefined,
  chooseSort: () => undefined,
  takeChip: () => undefined,
  names: () => NO_NAMES,
  completed: () => undefined,
};

test("the box is a combobox that controls the list of results", () => {
  const { el, input } = buildPane(emptyBody().createDiv(), handlers);
  const list = one(el, `#${input.getAttribute("aria-controls") ?? "none"}`);

  expect(input.getAttribute("role")).toBe("combobox");
  expect(input.getAttribute("aria-expanded")).toBe("false");
  expect([list.getAttribute("role"), list.getAttribute("aria-label")]).toEqual(["listbox", "Search results"]);
});

test("two panes in one window share no id", () => {
  const body = emptyBody();
  for (const pane of [body.createDiv(), body.createDiv()]) buildPane(pane, handlers);
  const ids = [...body.querySelectorAll("[id]")].map(({ id }) => id);

  expect(new Set(ids).size).toBe(ids.length);
});

test("a pane that is built again replaces what was there", () => {
  const el = emptyBody().createDiv();
  buildPane(el, handlers);
  buildPane(el, handlers);

  expect(el.querySelectorAll("input")).toHaveLength(1);
});

test("announcements are read out politely, from an element that is never hidden", () => {
  const { el, list: { live } } = buildPane(emptyBody().createDiv(), handlers);
  live.announceEvent("3 notes found");

  expect(one(el, '[aria-live="polite"]').textContent).toBe("3 notes found");
  expect(one(el, '[aria-live="polite"]').hasClass("is-hidden")).toBe(false);
});
