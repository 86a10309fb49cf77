/** Keys, mouse and dragging in a list, with one delegated listener per event type, because rows come and go. */
import { type App, type Component, type HoverParent, Keymap, type PaneType, Platform, type TFile } from "obsidian";
import { type PaneKey, paneKey } from "../../pane/keys";
import { isPlace, type PlaceRow, type Row } from "../../pane/rows";
import { originOf } from "../../search/tiers";
import { linksTo, subpathTo } from "./links";
import { noteAt } from "./open";
import { type RowList } from "./row-list";

export interface MouseHandlers {
  readonly open: (row: Row, where: PaneType | boolean) => void;
  /** Unfold or fold the further passages of a note. */
  readonly toggle: (path: string) => void;
  /** Choose the row beside others, or no longer; with `isRange`, all rows up to it. */
  readonly choose: (row: PlaceRow, isRange: boolean) => void;
  /** Undo the dismissal of a note. */
  readonly restore: (path: string) => void;
  /** The pointer moves over the list. */
  readonly touch: () => void;
  /** False where the row has no menu. */
  readonly showMenu: (row: Row, event: MouseEvent) => boolean;
  /** The pointer came to a row, or moved on in it. */
  readonly hover: (row: PlaceRow, event: MouseEvent) => void;
  /** The pointer left the list. */
  readonly leave: () => void;
  readonly drag: (row: PlaceRow, event: DragEvent) => void;
}

/** Handles mouse events in `listEl` until `owner` is unloaded. */
export function listenToMouse(owner: Component, listEl: HTMLElement, list: RowList, { open, toggle, choose, restore, touch, showMenu, hover, leave, drag }: MouseHandlers): void {
  const placeAt = (event: MouseEvent): PlaceRow | null => {
    const row = list.rowAt(event.target);
    return isPlace(row) ? row : null;
  };
  owner.registerDomEvent(listEl, "click", (event) => {
    const path = list.unfolderAt(event.target);
    const row = list.rowAt(event.target);
    const dismissed = list.undoAt(event.target);
    if (dismissed !== null) restore(dismissed);
    else if (path !== null) toggle(path);
    else if (isPlace(row) && isChoosing(event)) choose(row, event.shiftKey);
    else if (row) open(row, Keymap.isModEvent(event));
  });
  // The keyboard focus stays where it is, and no text is selected.
  owner.registerDomEvent(listEl, "mousedown", (event) => {
    if (event.button === 0 && isChoosing(event) && placeAt(event)) event.preventDefault();
  });
  owner.registerDomEvent(listEl, "auxclick", (event) => {
    const row = event.button === 1 ? placeAt(event) : null;
    if (row) open(row, "tab");
  });
  owner.registerDomEvent(listEl, "contextmenu", (event) => {
    const row = list.rowAt(event.target);
    if (row && showMenu(row, event)) event.preventDefault();
  });
  owner.registerDomEvent(listEl, "mousemove", ({ movementX, movementY }) => {
    if (movementX !== 0 || movementY !== 0) touch(); // a browser says as much when rows come under a pointer at rest
  });
  owner.registerDomEvent(listEl, "mouseover", (event) => {
    const row = placeAt(event);
    if (row) hover(row, event);
  });
  owner.registerDomEvent(listEl, "mouseleave", leave);
  owner.registerDomEvent(listEl, "dragstart", (event) => {
    const row = placeAt(event);
    if (row) drag(row, event);
  });
}

/** As in the file explorer, a row is chosen beside others with Alt, all up to it with Shift; with Mod it is opened in a tab. */
function isChoosing(event: MouseEvent): boolean {
  return event.altKey !== event.shiftKey && !Keymap.isModifier(event, "Mod");
}

/** What Obsidian's page preview calls the lists. */
export const HOVER_SOURCE = "quarry";

/** Has Obsidian's page preview show the passage in its note, where it is set to; false where there is no page: of a PDF file, a canvas, a note of another vault. */
export function showPage({ workspace }: App, hoverParent: HoverParent, { hit, passage }: PlaceRow, event: MouseEvent, targetEl: HTMLElement | null): boolean {
  if (hit.kind !== "note" || originOf(hit) !== null) return false;
  workspace.trigger("hover-link", { event, source: HOVER_SOURCE, hoverParent, targetEl, linktext: hit.path, sourcePath: "", state: { scroll: passage?.line ?? 0 } });
  return true;
}

/** Handles the keys of a list without a search box, until `owner` is unloaded. Escape returns the focus to the note. */
export function listenToKeys(owner: Component, app: App, listEl: HTMLElement, handle: (key: PaneKey, event: KeyboardEvent) => boolean): void {
  owner.registerDomEvent(listEl, "keydown", (event) => {
    const key = paneKey(event, Platform.isMacOS);
    if (!key) return;
    if (key.kind === "escape") focusNote(app);
    else if (!handle(key, event)) return;
    event.preventDefault();
    event.stopPropagation();
  });
}

/** Gives the focus back to the note that was open last. */
export function focusNote(app: App): void {
  const note = app.workspace.getMostRecentLeaf();
  if (note) app.workspace.setActiveLeaf(note, { focus: true });
}

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
