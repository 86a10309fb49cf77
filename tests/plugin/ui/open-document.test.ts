// @vitest-environment jsdom
import "./dom";
import { type App, type PaneType, type TFile } from "obsidian";
import { expect, test, vi } from "vitest";
import { documentSubpath } from "../../../plugin/ui/open-document";
import { openHit } from "../../../plugin/ui/open-hit";
import { passage } from "../builders";

interface Opened {
  readonly path: string;
  readonly where: unknown;
  readonly state: unknown;
}

/** An app with one file, whose views are `view`; a canvas is never read as text. */
function appWith(path: string, view: object, opened: Opened[] = []): App {
  const getLeaf = (where: PaneType | boolean): object => ({
    view,
    openFile: (file: TFile, state: unknown) => {
      opened.push({ path: file.path, where, state });
      return Promise.resolve();
    },
  });
  const cachedRead = (): never => { throw new Error("not a note"); };
  return { vault: { getFileByPath: () => ({ path }), cachedRead }, workspace: { getLeaf } } as unknown as App;
}

const ofCard = passage({ anchor: "card" });

test("a canvas opens with the card of the passage selected and in view", async () => {
  const opened: Opened[] = [];
  const card = {};
  const canvas = { nodes: new Map([["card", card]]), selectOnly: vi.fn(), zoomToSelection: vi.fn() };

  expect(await openHit(appWith("a.canvas", { canvas }, opened), "a.canvas", ofCard, "tab")).toBe(true);

  expect(opened).toEqual([{ path: "a.canvas", where: "tab", state: { active: true } }]);
  expect(canvas.selectOnly).toHaveBeenCalledWith(card);
  expect(canvas.zoomToSelection).toHaveBeenCalledOnce();
});

test.each([
  ["no canvas in the view", {}],
  ["no nodes", { canvas: {} }],
  ["nodes of another shape", { canvas: { nodes: {} } }],
  ["no such card", { canvas: { nodes: new Map(), selectOnly: () => { throw new Error("asked"); } } }],
  ["nothing to select with", { canvas: { nodes: new Map([["card", {}]]) } }],
])("a canvas opens where Obsidian has %s", async (_, view) => {
  expect(await openHit(appWith("a.canvas", view), "a.canvas", ofCard, false)).toBe(true);
});

test("a canvas stays open where selecting fails", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const view = { canvas: { nodes: new Map([["card", {}]]), selectOnly: () => { throw new TypeError("changed"); } } };

  expect(await openHit(appWith("a.canvas", view), "a.canvas", ofCard, false)).toBe(true);
  expect(warn).toHaveBeenCalledOnce();
});

test("a PDF file opens at the page, and at its start without one", async () => {
  const opened: Opened[] = [];
  await openHit(appWith("a.pdf", {}, opened), "a.pdf", passage({ anchor: "page=12" }), false);
  await openHit(appWith("a.pdf", {}, opened), "a.pdf", null, false);

  expect(opened.map(({ state }) => state)).toEqual([{ active: true, eState: { subpath: "#page=12" } }, { active: true }]);
});

test("only a PDF file has a place that a link can lead to", () => {
  expect(documentSubpath("a.pdf", passage({ anchor: "page=3" }))).toBe("#page=3");
  expect(documentSubpath("a.canvas", passage({ anchor: "page=3" }))).toBe("");
  expect(documentSubpath("a.pdf", null)).toBe("");
});
