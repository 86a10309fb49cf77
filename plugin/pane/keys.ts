/** The meaning of a key in the search box. Pure; keys that edit the text, left and right among them, are not handled. */

export type PaneKey =
  | { readonly kind: "move"; readonly step: number }
  /** Show or hide the further passages of the selected note. */
  | { readonly kind: "expand"; readonly isExpanded: boolean }
  | { readonly kind: "open" }
  | { readonly kind: "escape" }
  | { readonly kind: "menu" }
  /** Bring back a query that was cleared; in a box with text the key is the browser's. */
  | { readonly kind: "undo" };

const PAGE = 5; // rows per page key: about as many as a sidebar shows

type Key = Pick<KeyboardEvent, "key" | "altKey" | "shiftKey" | "ctrlKey" | "metaKey" | "isComposing">;

/** The action of a key; null for one that is not handled. While an input method composes, all keys belong to it. */
export function paneKey({ key, altKey, shiftKey, ctrlKey, metaKey, isComposing }: Key): PaneKey | null {
  if (isComposing) return null;
  switch (key) {
    case "ArrowDown":
      return altKey ? { kind: "expand", isExpanded: true } : { kind: "move", step: 1 };
    case "ArrowUp":
      return altKey ? { kind: "expand", isExpanded: false } : { kind: "move", step: -1 };
    case "PageDown":
      return { kind: "move", step: PAGE };
    case "PageUp":
      return { kind: "move", step: -PAGE };
    case "Enter":
      return { kind: "open" };
    case "Escape":
      return { kind: "escape" };
    case "ContextMenu":
      return { kind: "menu" };
    case "F10":
      return shiftKey ? { kind: "menu" } : null;
    case "z":
      return (ctrlKey || metaKey) && !altKey && !shiftKey ? { kind: "undo" } : null;
    default:
      return null;
  }
}
