// @vitest-environment jsdom
import { emptyBody } from "./dom";
import { type App, Menu, type MenuItem, type TFile, type WorkspaceLeaf } from "obsidian";
import { expect, test, vi } from "vitest";
import { hitMenu, linkTo, preview, startDrag } from "../../../plugin/ui/hit-actions";
import { type HitOption } from "../../../plugin/ui/hit-row";
import { hit, passage } from "../builders";

const trigger = vi.fn();
const leaf: unknown = {};
const app = {
  vault: { getFileByPath: (path: string) => (path === "API.md" ? { path } : null), getMarkdownFiles: () => [] },
  fileManager: { generateMarkdownLink: (file: TFile, source: string, subpath = "") => `[[${file.path}${subpath}]] from ${source}` },
  workspace: { getActiveFile: () => ({ path: "Daily.md" }), trigger },
} as unknown as App;

function option(path: string, headingPath: readonly string[]): HitOption {
  const found = passage({ headingPath, line: 12 });
  return { key: path, el: emptyBody().createDiv(), hit: hit(path), passage: found };
}

test("a link leads to the passage's own heading, written for the active note", () => {
  expect(linkTo(app, option("API.md", ["API", "Backoff"]))).toBe("[[API.md#Backoff]] from Daily.md");
});

test("a passage before any heading is linked as the note", () => {
  expect(linkTo(app, option("API.md", []))).toBe("[[API.md]] from Daily.md");
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
  const hovered = option("API.md", ["Backoff"]);
  const parent = { hoverPopover: null };
  const event = new MouseEvent("mouseover");
  preview(app, event, "quarry-search", parent, hovered);

  expect(trigger).toHaveBeenCalledWith("hover-link", {
    event,
    source: "quarry-search",
    hoverParent: parent,
    targetEl: hovered.el,
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
  const chosen = { ...option("API.md", []), hit: hit("API.md", { maps: [{ path: "Work/Work MOC.md", title: "Work MOC" }] }) };
  hitMenu(app, chosen, "quarry-search", leaf as WorkspaceLeaf, { open: vi.fn(), copy: vi.fn(), explain: vi.fn(), openNote });
  clicks[titles.indexOf("Open map “Work MOC”")]?.();

  expect(openNote).toHaveBeenCalledExactlyOnceWith("Work/Work MOC.md");
});
