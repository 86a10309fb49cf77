/**
 * Drags rows as Obsidian drags its own: a note onto a folder moves it, onto an editor it becomes a link.
 *
 * The manager that does so is undocumented. Where it is missing or different, links travel as text.
 */
import { type App, type TFile } from "obsidian";
import { type PlaceRow } from "../pane/rows";
import { linksTo, subpathTo } from "./links";
import { noteAt } from "./open-hit";

type Dragged = object | null;

/** What is used of Obsidian's drag manager; checked at run time. */
interface DragManager {
  dragFile(event: DragEvent, file: TFile, source: string): Dragged;
  dragFiles(event: DragEvent, files: TFile[], source: string): Dragged;
  dragLink(event: DragEvent, linktext: string, sourcePath: string, title: string, source: string): Dragged;
  onDragStart(event: DragEvent, dragged: object): void;
}

const METHODS = ["dragFile", "dragFiles", "dragLink", "onDragStart"] as const;

/** `source` names the list; `sourcePath` is the note that links are most likely dropped into. */
export function startDrag(app: App, event: DragEvent, rows: readonly PlaceRow[], sourcePath: string, source: string): void {
  const files = [...new Set(rows.flatMap(({ hit }) => noteAt(app.vault, hit.path) ?? []))];
  if (files.length === 0 || !event.dataTransfer) {
    event.preventDefault();
    return;
  }
  const manager = managerOf(app);
  const dragged = manager && draggedOf(manager, app, event, rows, files, source);
  if (dragged) {
    manager.onDragStart(event, dragged);
    return;
  }
  const links = linksTo(app, rows, sourcePath);
  event.dataTransfer.setData("text/plain", links.length > 1 ? links.map((link) => `- ${link}`).join("\n") : (links[0] ?? ""));
  event.dataTransfer.effectAllowed = "copyLink";
}

/** A note is dragged as the file, a passage below it as the link to its place. */
function draggedOf(manager: DragManager, app: App, event: DragEvent, rows: readonly PlaceRow[], files: TFile[], source: string): Dragged {
  const [row] = rows;
  const [file] = files;
  if (rows.length > 1 && files.length > 1) return manager.dragFiles(event, files, source);
  if (!row || !file) return null;
  const subpath = row.kind === "passage" ? subpathTo(app, row) : "";
  return subpath === "" ? manager.dragFile(event, file, source) : manager.dragLink(event, file.path + subpath, "", `${file.basename} › ${row.passage?.headingPath.at(-1) ?? ""}`, source);
}

function managerOf(app: App): DragManager | null {
  if (!("dragManager" in app)) return null;
  const { dragManager } = app as { dragManager: Partial<Record<string, unknown>> | null };
  return METHODS.every((name) => typeof dragManager?.[name] === "function") ? (dragManager as unknown as DragManager) : null;
}
