// @vitest-environment jsdom
import { type App, Component, type TFile } from "obsidian";
import { describe, beforeEach, expect, test, vi } from "vitest";
import "../dom";
import { answerRows, type PlaceRow, queryRows } from "../../../../plugin/pane/rows";
import { listenToMouse, startDrag } from "../../../../plugin/ui/list/list-input";
import { RowList } from "../../../../plugin/ui/list/row-list";
import { answer, hit, hitRow, manualClock, passage, ROOM, ROW_OPTIONS } from "../../builders";
import { emptyBody, one } from "../dom";
import { appWith } from "../writing-doubles";

describe("list mouse", () => {
  let listEl: HTMLElement;
  let did: string[];
  let owner: Component;

  beforeEach(() => {
    listEl = emptyBody().createDiv();
    did = [];
    const list = new RowList(listEl, { clock: manualClock() });
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
      hover: ({ key }) => did.push(`hover ${key}`),
      leave: () => did.push("leave"),
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

  test("a hit is looked at until the pointer leaves; dragging drags it", () => {
    fire(".quarry-title", "mouseover");
    fire(".quarry-recent", "mouseover");
    listEl.dispatchEvent(new MouseEvent("mouseleave"));
    fire(".quarry-title", "dragstart");

    expect(did).toEqual(["hover a.md", "leave", "drag a.md"]);
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

  test("Alt and a click chooses one row, Shift and a click all up to it, Mod says where to open", () => {
    fire(".quarry-title", "click", { altKey: true });
    fire(".quarry-title", "click", { shiftKey: true });
    for (const held of [{}, { shiftKey: true }, { altKey: true }]) fire(".quarry-title", "click", { ctrlKey: true, ...held });

    expect(did.slice(0, 2)).toEqual(["choose a.md", "range to a.md"]);
    expect(did.slice(2).every((what) => what.startsWith("open a.md"))).toBe(true);
  });

  test("choosing leaves the focus where it is, a plain press does not", () => {
    expect([fire(".quarry-title", "mousedown", { altKey: true }).defaultPrevented, fire(".quarry-title", "mousedown").defaultPrevented]).toEqual([true, false]);
  });
});

describe("drag", () => {
  const NOTES = { "API.md": "", "Ops.md": "" };
  const row = (path: string): PlaceRow => hitRow(hit(path));
  const passageRow: PlaceRow = { kind: "passage", key: "API.md#9", parentKey: "API.md", hit: hit("API.md"), passage: passage({ headingPath: ["Backoff"] }), context: null };

  function dragEvent(): { event: DragEvent; data: [string, string][]; prevented: () => boolean } {
    const data: [string, string][] = [];
    const event = new Event("dragstart", { cancelable: true });
    Object.assign(event, { dataTransfer: { setData: (type: string, text: string) => data.push([type, text]) } });
    return { event: event as DragEvent, data, prevented: () => event.defaultPrevented };
  }

  /** Obsidian's drag manager, which writes down what is dragged. */
  function managed(methods: object = {}): { app: App; dragged: unknown[] } {
    const dragged: unknown[] = [];
    const dragManager = {
      dragFile: (_: DragEvent, file: TFile) => ({ file: file.path }),
      dragFiles: (_: DragEvent, files: readonly TFile[]) => ({ files: files.map(({ path }) => path) }),
      dragLink: (_: DragEvent, linktext: string) => ({ linktext }),
      onDragStart: (_: DragEvent, what: unknown) => dragged.push(what),
      ...methods,
    };
    return { app: Object.assign(appWith(NOTES), { dragManager }), dragged };
  }

  test("a note is dragged as Obsidian drags a file, a passage as a link to its place, several as files", () => {
    const { app, dragged } = managed();
    for (const rows of [[row("API.md")], [passageRow], [row("API.md"), row("Ops.md")], [row("API.md"), passageRow]]) {
      startDrag(app, dragEvent().event, rows, "Daily.md", "quarry-search");
    }

    expect(dragged).toEqual([{ file: "API.md" }, { linktext: "API.md#Backoff" }, { files: ["API.md", "Ops.md"] }, { file: "API.md" }]);
  });

  test.each([["without Obsidian's drag manager", appWith(NOTES)], ["with one that has changed", managed({ dragFiles: undefined }).app]])("%s, links are dragged as text", (_, app) => {
    const [one, two] = [dragEvent(), dragEvent()];
    startDrag(app, one.event, [row("API.md")], "Daily.md", "quarry-search");
    startDrag(app, two.event, [row("API.md"), row("Ops.md")], "Daily.md", "quarry-search");

    expect(one.data).toEqual([["text/plain", "[[API#Backoff]]"]]);
    expect(two.data).toEqual([["text/plain", "- [[API#Backoff]]\n- [[Ops#Backoff]]"]]);
  });

  test("notes that are gone cannot be dragged", () => {
    const { app, dragged } = managed();
    const { event, data, prevented } = dragEvent();
    startDrag(app, event, [row("gone.md")], "Daily.md", "quarry-search");

    expect([dragged, data, prevented()]).toEqual([[], [], true]);
  });

  test("what the manager refuses to drag travels as text", () => {
    const { app } = managed({ dragFile: vi.fn(() => null) });
    const { event, data } = dragEvent();
    startDrag(app, event, [row("API.md")], "Daily.md", "quarry-search");

    expect(data).toEqual([["text/plain", "[[API#Backoff]]"]]);
  });
});
