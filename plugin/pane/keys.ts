/**
 * The meaning of a key in the search box: one table, which the key sheet shows too. Pure; keys that edit the text are not in
 * it, nor those that Obsidian has for something else, such as Mod+O. Left and right are, at the end of the text: see
 * `movesCaret`.
 */
import { type Mode } from "../protocol/messages";
import { type RowCommandId } from "./commands";

export type PaneKey =
  | { readonly kind: "move"; readonly step: number }
  /** Move, and choose every row on the way. */
  | { readonly kind: "extend"; readonly step: number }
  /** Show or hide the further passages of the selected note. */
  | { readonly kind: "expand"; readonly isExpanded: boolean }
  | { readonly kind: "open" }
  /** Show the passage of the selected row beside the list, or no longer; before an arrow key the key is a space. */
  | { readonly kind: "peek" }
  /** Do this with the rows that are chosen, else with the one that is selected. */
  | { readonly kind: "command"; readonly command: RowCommandId }
  /** Create a note that is called as the query. */
  | { readonly kind: "create" }
  | { readonly kind: "escape" }
  | { readonly kind: "menu" }
  /** Bring back a query that was cleared; in a box with text the key is the browser's. */
  | { readonly kind: "undo" }
  /** Put an older query (1) into the box, or a newer one (-1). */
  | { readonly kind: "history"; readonly step: number }
  /** Save this search, or no longer. */
  | { readonly kind: "save" }
  | { readonly kind: "mode"; readonly mode: Mode }
  /** Belongs to the suggestions, which are asked before this table. */
  | { readonly kind: "suggestions" }
  /** Show this table; in a box with text the key is a letter. */
  | { readonly kind: "keys" };

interface KeyBinding {
  readonly id: string;
  readonly section: "rows" | "open" | "write" | "search";
  /** `Mod` is Ctrl, on a Mac Command; `Ctrl` is Control on a Mac, where it moves the caret by lines. */
  readonly keys: readonly (readonly [combination: string, meaning: PaneKey])[];
}

const PAGE = 5; // rows per page key: about as many as a sidebar shows

const UNFOLD = { kind: "expand", isExpanded: true } as const;
const FOLD = { kind: "expand", isExpanded: false } as const;
const command = (id: RowCommandId): PaneKey => ({ kind: "command", command: id });

/** All keys, in the order of the key sheet. */
const TABLE = [
  { id: "move", section: "rows", keys: [["ArrowDown", { kind: "move", step: 1 }], ["ArrowUp", { kind: "move", step: -1 }], ["Ctrl+n", { kind: "move", step: 1 }], ["Ctrl+p", { kind: "move", step: -1 }]] },
  { id: "page", section: "rows", keys: [["PageDown", { kind: "move", step: PAGE }], ["PageUp", { kind: "move", step: -PAGE }]] },
  { id: "expand", section: "rows", keys: [["ArrowRight", UNFOLD], ["ArrowLeft", FOLD]] },
  { id: "extend", section: "rows", keys: [["Shift+ArrowDown", { kind: "extend", step: 1 }], ["Shift+ArrowUp", { kind: "extend", step: -1 }]] },
  { id: "peek", section: "rows", keys: [[" ", { kind: "peek" }]] },
  { id: "menu", section: "rows", keys: [["ContextMenu", { kind: "menu" }], ["Shift+F10", { kind: "menu" }]] },
  { id: "open", section: "open", keys: [["Enter", { kind: "open" }]] },
  { id: "open-tab", section: "open", keys: [["Mod+Enter", command("open-tab")]] },
  { id: "open-split", section: "open", keys: [["Mod+Alt+Enter", command("open-split")]] },
  { id: "open-window", section: "open", keys: [["Mod+Alt+Shift+Enter", command("open-window")]] },
  { id: "insert-link", section: "write", keys: [["Alt+Enter", command("insert-link")]] },
  { id: "insert-quote", section: "write", keys: [["Alt+Shift+Enter", command("insert-quote")]] },
  { id: "copy-link", section: "write", keys: [["Mod+c", command("copy-link")]] },
  { id: "create", section: "write", keys: [["Shift+Enter", { kind: "create" }]] },
  { id: "history", section: "search", keys: [["Mod+ArrowUp", { kind: "history", step: 1 }], ["Mod+ArrowDown", { kind: "history", step: -1 }]] },
  { id: "accept", section: "search", keys: [["Tab", { kind: "suggestions" }]] },
  { id: "undo", section: "search", keys: [["Mod+z", { kind: "undo" }]] },
  { id: "escape", section: "search", keys: [["Escape", { kind: "escape" }]] },
  { id: "keys", section: "search", keys: [["?", { kind: "keys" }]] },
] as const satisfies readonly KeyBinding[];

/** A binding; its sentence in the key sheet is stored under its `id`. */
export interface Binding extends KeyBinding {
  readonly id: (typeof TABLE)[number]["id"];
}

export const BINDINGS: readonly Binding[] = TABLE;

/** The combinations of a binding that the system leaves to the pane: Ctrl+N is a new note where Ctrl is Mod. */
export function combinationsOf({ keys }: KeyBinding, isMac: boolean): readonly string[] {
  return keys.map(([combination]) => combination).filter((combination) => isMac || !combination.startsWith("Ctrl+"));
}

/** What can be given a hotkey in Obsidian, beside the modes and what is done with a result, by the ids of the commands. */
export const ASSIGNABLE = {
  "next-result": { kind: "move", step: 1 },
  "previous-result": { kind: "move", step: -1 },
  "show-passages": UNFOLD,
  "hide-passages": FOLD,
  "preview-result": { kind: "peek" },
  "result-menu": { kind: "menu" },
  "earlier-search": { kind: "history", step: 1 },
  "later-search": { kind: "history", step: -1 },
  "save-search": { kind: "save" },
  "create-note": { kind: "create" },
} as const satisfies Readonly<Record<string, PaneKey>>;

const MEANINGS = new Map(BINDINGS.flatMap(({ keys }) => keys));

type Key = Pick<KeyboardEvent, "key" | "altKey" | "shiftKey" | "ctrlKey" | "metaKey" | "isComposing">;

/** The action of a key; null for one that is not handled. While an input method composes, all keys belong to it. */
export function paneKey(key: Key, isMac: boolean): PaneKey | null {
  return key.isComposing ? null : (MEANINGS.get(combinationOf(key, isMac)) ?? null);
}

/** Whether the caret goes with the key: to the right of the last letter it can't, to the left it can unless the user is among the rows. */
export function movesCaret({ key }: Pick<KeyboardEvent, "key">, isAtEnd: boolean, isAmongRows: boolean): boolean {
  return (key === "ArrowRight" && !isAtEnd) || (key === "ArrowLeft" && !(isAtEnd && isAmongRows));
}

/** A pressed key as the table writes it. */
function combinationOf({ key, altKey, shiftKey, ctrlKey, metaKey }: Key, isMac: boolean): string {
  const isSign = key.length === 1 && key.toLowerCase() === key.toUpperCase(); // on some keyboards it needs Shift, on others not
  const held = [isMac && ctrlKey ? "Ctrl" : "", !isMac && metaKey ? "Meta" : "", (isMac ? metaKey : ctrlKey) ? "Mod" : "", altKey ? "Alt" : "", shiftKey && !isSign ? "Shift" : ""];
  return [...held, key.length === 1 ? key.toLowerCase() : key].filter((part) => part !== "").join("+");
}
