/** Keys of a list that has no search box: it takes the focus itself, and its options are reached by the arrows. */
import { type App } from "obsidian";
import { paneKey } from "../pane/keys";
import { type ListDom } from "./list-dom";
import { type ResultList } from "./result-list";

/** Handles the keys of the list until it is unloaded. Escape returns the focus to the note. */
export function listenToKeys(app: App, { listEl }: ListDom, list: ResultList): void {
  list.registerDomEvent(listEl, "keydown", (event) => {
    const key = paneKey(event);
    if (!key) return;
    if (key.kind === "escape") focusNote(app);
    else if (!list.handleKey(key, event)) return;
    event.preventDefault();
    event.stopPropagation();
  });
}

/** Gives the focus back to the note that was open last. */
export function focusNote(app: App): void {
  const note = app.workspace.getMostRecentLeaf();
  if (note) app.workspace.setActiveLeaf(note, { focus: true });
}
