/** Mouse handling of the list, with one delegated listener per event type, because rows come and go. */
import { type Component, Keymap, type PaneType } from "obsidian";
import { type HitOption } from "./hit-row";
import { type Entry, type PaneDom } from "./pane-dom";

export interface MouseHandlers {
  readonly open: (entry: Entry, where: PaneType | boolean) => void;
  readonly expand: (path: string, isExpanded: boolean) => void;
  readonly showMenu: (option: HitOption, event: MouseEvent) => void;
  readonly preview: (option: HitOption, event: MouseEvent) => void;
  readonly drag: (option: HitOption, event: DragEvent) => void;
}

/** Handles mouse events until `owner` is unloaded. */
export function listenToMouse(owner: Component, { listEl, hits, recents }: PaneDom, handlers: MouseHandlers): void {
  const { open, expand, showMenu, preview, drag } = handlers;
  owner.registerDomEvent(listEl, "click", (event) => {
    const path = hits.moreLineAt(event.target);
    if (path !== null) {
      expand(path, !hits.isExpanded(path));
      return;
    }
    const entry = hits.optionAt(event.target) ?? recents.optionAt(event.target);
    if (entry) open(entry, Keymap.isModEvent(event));
  });
  owner.registerDomEvent(listEl, "auxclick", (event) => {
    const option = event.button === 1 ? hits.optionAt(event.target) : null;
    if (option) open(option, "tab");
  });
  owner.registerDomEvent(listEl, "contextmenu", (event) => {
    const option = hits.optionAt(event.target);
    if (!option) return;
    event.preventDefault();
    showMenu(option, event);
  });
  owner.registerDomEvent(listEl, "mouseover", (event) => {
    const option = hits.optionAt(event.target);
    if (option) preview(option, event);
  });
  owner.registerDomEvent(listEl, "dragstart", (event) => {
    const option = hits.optionAt(event.target);
    if (option) drag(option, event);
  });
}
