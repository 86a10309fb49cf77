/** How is it said what each key does, and how is a key written? Pure. */
import { BINDINGS, type Binding } from "../pane/keys";
import { t } from "./translate";

const NAMES: Readonly<Record<string, string>> = { ArrowDown: "↓", ArrowUp: "↑", PageDown: "Page Down", PageUp: "Page Up", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc", ContextMenu: "Menu", " ": "Space" };
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
  return sections.map((section) => [t(`key.section.${section}`), BINDINGS.filter((binding) => binding.section === section).map((binding) => wordsOf(binding, isMac))]);
}

function wordsOf({ id, keys }: Binding, isMac: boolean): KeyWords {
  return { label: t(`key.${id}`), combinations: keys.map(([combination]) => combinationWords(combination, isMac)) };
}
