/** Mouse handling of the list, with one delegated listener per event type, because rows come and go. */
import { type Component, Keymap, type PaneType } from "obsidian";
import { type PlaceRow, type Row, isPlace } from "../pane/rows";
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
  readonly preview: (row: PlaceRow, event: MouseEvent) => void;
  readonly drag: (row: PlaceRow, event: DragEvent) => void;
}

/** Handles mouse events in `listEl` until `owner` is unloaded. */
export function listenToMouse(owner: Component, listEl: HTMLElement, list: RowList, { open, toggle, choose, restore, touch, showMenu, preview, drag }: MouseHandlers): void {
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
    if (row) preview(row, event);
  });
  owner.registerDomEvent(listEl, "dragstart", (event) => {
    const row = placeAt(event);
    if (row) drag(row, event);
  });
}

/** With Mod a row is chosen beside others, with Shift all up to it; both together, and Alt, say where to open. */
function isChoosing(event: MouseEvent): boolean {
  return !event.altKey && event.shiftKey !== Keymap.isModifier(event, "Mod");
}
