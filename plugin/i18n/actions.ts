/** The names of actions, keys and the commands of rows. Pure. */
import { type ActionId, type RowCommandId } from "../pane/commands";
import { type Binding, BINDINGS, combinationsOf } from "../pane/keys";
import { joinFacts } from "./formatting";
import { t } from "./translate";

export interface Action {
  readonly id: ActionId;
  readonly label: string;
}

export function actionOf(id: ActionId): Action {
  return { id, label: t(`action.${id}`) };
}

const NAMES: Readonly<Record<string, string>> = { ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc", ContextMenu: "Menu" };
/** Keys that carry a word in each language. */
const WORDED = { PageDown: "PageDown", PageUp: "PageUp", " ": "Space" } as const satisfies Readonly<Record<string, string>>;
const MAC_NAMES: Readonly<Record<string, string>> = { Mod: "⌘", Ctrl: "⌃", Alt: "⌥", Shift: "⇧", Enter: "↩" };

/** `Mod+Alt+Enter` as the keyboard of the system has it: `Ctrl + Alt + Enter`, or `⌘ ⌥ ↩`. */
export function combinationWords(combination: string, isMac: boolean): string {
  const parts = combination.split("+").map((part) => {
    if (isMac && part in MAC_NAMES) return MAC_NAMES[part];
    if (part in WORDED) return t(`keyName.${WORDED[part as keyof typeof WORDED]}`);
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

function wordsOf(binding: Binding, isMac: boolean): KeyWords {
  return { label: t(`key.${binding.id}`), combinations: combinationsOf(binding, isMac).map((combination) => combinationWords(combination, isMac)) };
}

/** The commands that are offered for several rows at once. */
const FOR_SEVERAL = ["open-tab", "open-background", "insert-link", "insert-quote", "copy-link"] as const satisfies readonly RowCommandId[];

/** What a command is called in the menu of so many rows. */
export function rowCommandName(id: RowCommandId, count: number): string {
  const several = FOR_SEVERAL.find((other) => other === id);
  return count > 1 && several ? t(`menu.several.${several}`, { count }) : t(`menu.${id}`);
}

export function isForSeveral(id: RowCommandId): boolean {
  return FOR_SEVERAL.some((other) => other === id);
}

/** What keys do with the rows that are chosen. */
export function chosenKeys(isMac: boolean): string {
  const keys = [["Enter", "open"], ["Alt+Enter", "insert"]] as const;
  return joinFacts(...keys.map(([combination, what]) => `${combinationWords(combination, isMac)} ${t(`quick.${what}`)}`));
}

/** Empty while no rows are chosen beside the selected one. */
export function chosenWords(count: number): string {
  return count === 0 ? "" : t("write.chosen", { count });
}
