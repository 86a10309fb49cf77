// @vitest-environment jsdom
import "./dom";
import { type App, type TFile } from "obsidian";
import { expect, test, vi } from "vitest";
import { type PlaceRow } from "../../../plugin/pane/rows";
import { startDrag } from "../../../plugin/ui/drag";
import { hit, hitRow, passage } from "../builders";
import { appWith } from "./writing-doubles";

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
