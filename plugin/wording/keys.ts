/** How is it said what each key does, and how is a key written? Pure. */
import { type Binding, type KeyId, type KeySection, BINDINGS } from "../pane/keys";

const LABELS: Readonly<Record<KeyId, string>> = {
  move: "Go to the next or previous result",
  page: "Go five results down or up",
  expand: "Show or hide more passages of a note",
  extend: "Select several results",
  open: "Open",
  "open-tab": "Open in a new tab",
  "open-split": "Open to the right",
  "open-window": "Open in a new window",
  "open-background": "Open in a background tab",
  "insert-link": "Insert a link at the cursor",
  "insert-quote": "Insert the passage as a quote",
  "copy-link": "Copy a link",
  create: "Create a note named after the search",
  menu: "Show the menu of a result",
  undo: "Bring back a cleared search",
  escape: "Clear the selection, then return to the note",
  keys: "Show these shortcuts, in an empty box",
};

const SECTIONS: Readonly<Record<KeySection, string>> = { rows: "Results", open: "Open", write: "Write", search: "Search" };

const NAMES: Readonly<Record<string, string>> = { ArrowDown: "↓", ArrowUp: "↑", PageDown: "Page Down", PageUp: "Page Up", Escape: "Esc", ContextMenu: "Menu" };
const MAC_NAMES: Readonly<Record<string, string>> = { Mod: "⌘", Alt: "⌥", Shift: "⇧", Enter: "↩" };

/** `Mod+Alt+Enter` as the keyboard of the system has it: `Ctrl + Alt + Enter`, or `⌘ ⌥ ↩`. */
export function combinationWords(combination: string, isMac: boolean): string {
  const parts = combination.split("+").map((part) => {
    if (isMac && part in MAC_NAMES) return MAC_NAMES[part];
    return part === "Mod" ? "Ctrl" : (NAMES[part] ?? (part.length === 1 ? part.toUpperCase() : part));
  });
  return parts.join(isMac ? " " : " + ");
}

export interface KeyWords {
  readonly label: string;
  readonly combinations: readonly string[];
}

/** The key sheet: every binding there is, by section. */
export function keySheet(isMac: boolean): readonly (readonly [heading: string, rows: readonly KeyWords[]])[] {
  const sections = [...new Set(BINDINGS.map(({ section }) => section))];
  return sections.map((section) => [SECTIONS[section], BINDINGS.filter((binding) => binding.section === section).map((binding) => wordsOf(binding, isMac))]);
}

function wordsOf({ id, keys }: Binding, isMac: boolean): KeyWords {
  return { label: LABELS[id], combinations: keys.map(([combination]) => combinationWords(combination, isMac)) };
}
