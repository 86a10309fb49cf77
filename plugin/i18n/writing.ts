/** What is said of what is done with rows? Pure. */
import { type RowCommandId } from "../pane/commands";
import { t } from "./translate";

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

/** Empty while no rows are chosen beside the selected one. */
export function chosenWords(count: number): string {
  return count === 0 ? "" : t("write.chosen", { count });
}
