/** Mouse handling of the list, with one delegated listener per event type, because rows come and go. */
import { type Component, Keymap, type PaneType } from "obsidian";
import { type PlaceRow, type Row, isPlace } from "../pane/rows";
import { type RowList } from "./row-list";

export interface MouseHandlers {
  readonly open: (row: Row, where: PaneType | boolean) => void;
  readonly toggle: (path: string) => void;
  /** The pointer moves over the list. */
  readonly touch: () => void;
  readonly showMenu: (row: PlaceRow, event: MouseEvent) => void;
  readonly preview: (row: PlaceRow, event: MouseEvent) => void;
  readonly drag: (row: PlaceRow, event: DragEvent) => void;
}

/** Handles mouse events in `listEl` until `owner` is unloaded. */
export function listenToMouse(owner: Component, listEl: HTMLElement, list: RowList, { open, toggle, touch, showMenu, preview, drag }: MouseHandlers): void {
  const placeAt = (event: MouseEvent): PlaceRow | null => {
    const row = list.rowAt(event.target);
    return isPlace(row) ? row : null;
  };
  owner.registerDomEvent(listEl, "click", (event) => {
    const path = list.unfolderAt(event.target);
    const row = list.rowAt(event.target);
    if (path !== null) toggle(path);
    else if (row) open(row, Keymap.isModEvent(event));
  });
  owner.registerDomEvent(listEl, "auxclick", (event) => {
    const row = event.button === 1 ? placeAt(event) : null;
    if (row) open(row, "tab");
  });
  owner.registerDomEvent(listEl, "contextmenu", (event) => {
    const row = placeAt(event);
    if (!row) return;
    event.preventDefault();
    showMenu(row, event);
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
