// @vitest-environment jsdom
import { describe, expect, test } from "vitest";
import { type Mode } from "../../../../plugin/protocol/messages";
import { buildPane, modeSwitch, type PaneHandlers } from "../../../../plugin/ui/pane/pane-dom";
import { manualClock } from "../../builders";
import { emptyBody, one, texts } from "../dom";

describe("pane dom", () => {
  const NO_NAMES = { folders: [], tags: [], properties: [], valuesOf: () => [] };
  const handlers: PaneHandlers = {
    clock: manualClock(),
    act: () => undefined,
    queries: { toggleSaved: () => undefined, forget: () => undefined },
    copy: () => undefined,
    chooseMode: () => undefined,
    sort: () => "relevance",
    chooseSort: () => undefined,
    tiers: () => Promise.resolve([]),
    isTiered: () => false,
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
});

describe("mode switch", () => {
  test("one button is pressed, and pressing another one selects its mode", () => {
    const el = emptyBody().createDiv();
    const selected: Mode[] = [];
    const show = modeSwitch(el, (mode) => { selected.push(mode); });
    show("hybrid");
    one(el, '[data-mode="keyword"]').click();
    show("keyword");

    expect(selected).toEqual(["keyword"]);
    expect(texts(el, "button")).toEqual(["Both", "Words", "Meaning"]);
    expect(texts(el, '[aria-pressed="true"]')).toEqual(["Words"]);
    expect(one(el, '[role="group"]').getAttribute("aria-label")).toBe("Search mode");
  });
});
