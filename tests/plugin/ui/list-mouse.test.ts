// @vitest-environment jsdom
import { emptyBody, one } from "./dom";
import { Component } from "obsidian";
import { beforeEach, expect, test } from "vitest";
import { answerRows, queryRows } from "../../../plugin/pane/rows";
import { listenToMouse } from "../../../plugin/ui/list-mouse";
import { RowList } from "../../../plugin/ui/row-list";
import { ROOM, ROW_OPTIONS, answer, hit, manualClock } from "../builders";

let listEl: HTMLElement;
let did: string[];
let owner: Component;

beforeEach(() => {
  listEl = emptyBody().createDiv();
  did = [];
  const list = new RowList(listEl, { clock: manualClock(), act: () => undefined, toggleSaved: () => undefined, forget: () => undefined });
  const hits = answerRows(answer({ hits: [hit("a.md", { furtherPassages: 1 })] }), ROW_OPTIONS);
  list.show([...hits, ...queryRows(["gateway"], [])], 0, ROOM);
  owner = new Component();
  owner.load();
  listenToMouse(owner, listEl, list, {
    open: ({ key }, where) => did.push(`open ${key} ${String(where)}`),
    choose: ({ key }, isRange) => did.push(`${isRange ? "range to" : "choose"} ${key}`),
    restore: (path) => did.push(`restore ${path}`),
    touch: () => did.push("touch"),
    toggle: (path) => did.push(`toggle ${path}`),
    showMenu: ({ key, kind }) => kind === "hit" && did.push(`menu ${key}`) > 0,
    preview: ({ key }) => did.push(`preview ${key}`),
    drag: ({ key }) => did.push(`drag ${key}`),
  });
});

function fire(selector: string, type: string, init: MouseEventInit = {}): MouseEvent {
  const event = new MouseEvent(type, { bubbles: true, cancelable: true, ...init });
  one(listEl, selector).dispatchEvent(event);
  return event;
}

test("a click opens a hit or a recent query", () => {
  fire(".quarry-title", "click");
  fire(".quarry-recent", "click");

  expect(did).toEqual(["open a.md false", "open recent gateway false"]);
});

test("a click on the count of further passages unfolds them", () => {
  fire(".quarry-unfold", "click");

  expect(did).toEqual(["toggle a.md"]);
});

test("the middle button opens a new tab, other buttons nothing", () => {
  fire(".quarry-title", "auxclick", { button: 1 });
  fire(".quarry-title", "auxclick", { button: 2 });

  expect(did).toEqual(["open a.md tab"]);
});

test("the context menu of a hit replaces the browser's, elsewhere it does not", () => {
  const onHit = fire(".quarry-title", "contextmenu");
  const onRecent = fire(".quarry-recent", "contextmenu");

  expect(did).toEqual(["menu a.md"]);
  expect([onHit.defaultPrevented, onRecent.defaultPrevented]).toEqual([true, false]);
});

test("hovering previews a hit, dragging drags it", () => {
  fire(".quarry-title", "mouseover");
  fire(".quarry-title", "dragstart");

  expect(did).toEqual(["preview a.md", "drag a.md"]);
});

test("nothing is heard once the pane is unloaded", () => {
  owner.unload();
  fire(".quarry-title", "click");

  expect(did).toEqual([]);
});

test("a pointer that moves touches the list; one that rows come under does not", () => {
  for (const movementX of [0, 3]) {
    const event = new MouseEvent("mousemove", { bubbles: true });
    Object.defineProperties(event, { movementX: { value: movementX }, movementY: { value: 0 } });
    one(listEl, ".quarry-title").dispatchEvent(event);
  }

  expect(did).toEqual(["touch"]);
});

test("Mod and a click chooses one row, Shift and a click all up to it, both say where to open", () => {
  fire(".quarry-title", "click", { ctrlKey: true });
  fire(".quarry-title", "click", { shiftKey: true });
  fire(".quarry-title", "click", { ctrlKey: true, altKey: true });

  expect(did.slice(0, 2)).toEqual(["choose a.md", "range to a.md"]);
  expect(did[2]).toMatch(/^open a\.md/u);
});

test("choosing leaves the focus where it is, a plain press does not", () => {
  expect([fire(".quarry-title", "mousedown", { ctrlKey: true }).defaultPrevented, fire(".quarry-title", "mousedown").defaultPrevented]).toEqual([true, false]);
});
