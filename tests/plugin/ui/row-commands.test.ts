// @vitest-environment jsdom
import { emptyBody } from "./dom";
import { type App, Menu, type MenuItem, type TFile, type WorkspaceLeaf } from "obsidian";
import { expect, test, vi } from "vitest";
import { type PlaceRow } from "../../../plugin/pane/rows";
import { type RowHandlers, linkTo, preview, rowCommands, rowMenu, startDrag } from "../../../plugin/ui/row-commands";
import { hit, hitRow, passage } from "../builders";

const trigger = vi.fn();
const leaf: unknown = {};
const app = {
  vault: { getFileByPath: (path: string) => (path.startsWith("API.") ? { path } : null), getFiles: () => [] },
  fileManager: { generateMarkdownLink: (file: TFile, source: string, subpath = "") => `[[${file.path}${subpath}]] from ${source}` },
  workspace: { getActiveFile: () => ({ path: "Daily.md" }), trigger },
} as unknown as App;

function option(path: string, headingPath: readonly string[]): PlaceRow {
  const found = passage({ headingPath, line: 12 });
  return hitRow(hit(path), { passage: found });
}

test("a link leads to the passage's own heading, written for the active note", () => {
  expect(linkTo(app, option("API.md", ["API", "Backoff"]))).toBe("[[API.md#Backoff]] from Daily.md");
});

test("a passage before any heading is linked as the note", () => {
  expect(linkTo(app, option("API.md", []))).toBe("[[API.md]] from Daily.md");
});

test("a PDF file is linked and previewed at its page, a canvas as a whole", () => {
  const pdf = hitRow(hit("API.pdf", { kind: "pdf" }), { passage: passage({ headingPath: ["Page 12"], anchor: "page=12" }) });
  const canvas = hitRow(hit("API.canvas", { kind: "canvas" }), { passage: passage({ headingPath: ["Ideas"], anchor: "f00d" }) });
  preview(app, new MouseEvent("mouseover"), "quarry-search", { hoverPopover: null }, pdf, emptyBody().createDiv());

  expect(linkTo(app, pdf)).toBe("[[API.pdf#page=12]] from Daily.md");
  expect(linkTo(app, canvas)).toBe("[[API.canvas]] from Daily.md");
  expect(trigger).toHaveBeenCalledWith("hover-link", expect.objectContaining({ linktext: "API.pdf#page=12" }));
});

test("a note that is gone has no link, and cannot be dragged", () => {
  const setData = vi.fn();
  startDrag(app, { dataTransfer: { setData } } as unknown as DragEvent, option("gone.md", []));

  expect(linkTo(app, option("gone.md", []))).toBeNull();
  expect(setData).not.toHaveBeenCalled();
});

test("a dragged row is its link as text", () => {
  const setData = vi.fn();
  startDrag(app, { dataTransfer: { setData } } as unknown as DragEvent, option("API.md", ["Backoff"]));

  expect(setData).toHaveBeenCalledWith("text/plain", "[[API.md#Backoff]] from Daily.md");
});

test("a preview is asked for at the passage's line", () => {
  const el = emptyBody().createDiv();
  const parent = { hoverPopover: null };
  const event = new MouseEvent("mouseover");
  preview(app, event, "quarry-search", parent, option("API.md", ["Backoff"]), el);

  expect(trigger).toHaveBeenCalledWith("hover-link", {
    event,
    source: "quarry-search",
    hoverParent: parent,
    targetEl: el,
    linktext: "API.md",
    sourcePath: "",
    state: { scroll: 12 },
  });
});

test("a map of content that lists the note can be opened from the menu", () => {
  const titles: string[] = [];
  const clicks: (() => void)[] = [];
  vi.spyOn(Menu.prototype, "addItem").mockImplementation(function (this: Menu, build) {
    const item = {
      setTitle: (title: string) => { titles.push(title); return item; },
      setIcon: () => item,
      setSection: () => item,
      onClick: (run: () => void) => { clicks.push(run); return item; },
    };
    build(item as unknown as MenuItem);
    return this;
  });
  const openNote = vi.fn();
  const chosen: PlaceRow = { ...option("API.md", []), hit: hit("API.md", { maps: [{ path: "Work/Work MOC.md", title: "Work MOC" }] }) };
  const handlers: RowHandlers = { open: vi.fn(), copy: vi.fn(), explain: vi.fn(), openNote };
  rowMenu(app, chosen, rowCommands(app, handlers), "quarry-search", leaf as WorkspaceLeaf, handlers);
  clicks[titles.indexOf("Open map “Work MOC”")]?.();

  expect(openNote).toHaveBeenCalledExactlyOnceWith("Work/Work MOC.md");
});

test("each command of a row does what its name says", () => {
  const handlers = { open: vi.fn(), copy: vi.fn(), explain: vi.fn(), openNote: vi.fn() };
  const commands = rowCommands(app, handlers);
  const row = option("API.md", ["Backoff"]);
  for (const { run } of Object.values(commands)) run(row);

  expect(handlers.open.mock.calls.map(([, where]) => where as unknown)).toEqual([false, "tab", "split"]);
  expect(handlers.copy.mock.calls).toEqual([["[[API.md#Backoff]] from Daily.md"], ["retry with capped backoff"]]);
  expect(handlers.explain).toHaveBeenCalledExactlyOnceWith("API.md");
});

test("a note that is gone has no link to copy, one that is only listed has no passage", () => {
  const commands = rowCommands(app, { open: vi.fn(), copy: vi.fn(), explain: vi.fn(), openNote: vi.fn() });
  const listed: PlaceRow = hitRow(hit("gone.md"), { passage: null });

  expect(Object.entries(commands).filter(([, { isFor }]) => isFor?.(listed) === false).map(([id]) => id)).toEqual(["copy-link", "copy-text"]);
});
