/** What a key pressed in the search box means. Pure; left, right and everything else stays with the text. */

export type PaneKey =
  | { readonly kind: "move"; readonly step: number }
  /** Show or hide the passages of the selected note. */
  | { readonly kind: "expand"; readonly isExpanded: boolean }
  | { readonly kind: "open" }
  | { readonly kind: "leave" }
  | { readonly kind: "menu" };

const PAGE = 5; // rows that a page key moves by: about what a sidebar shows

type Key = Pick<KeyboardEvent, "key" | "altKey" | "shiftKey" | "isComposing">;

/** Null for a key that is not ours. While an input method composes, Enter and the arrows are the method's. */
export function paneKey({ key, altKey, shiftKey, isComposing }: Key): PaneKey | null {
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
      return { kind: "leave" };
    case "ContextMenu":
      return { kind: "menu" };
    case "F10":
      return shiftKey ? { kind: "menu" } : null;
    default:
      return null;
  }
}
