/** How are the actions called that a button offers? Pure. */
import { type ActionId } from "../pane/commands";
import { t } from "./translate";

export interface Action {
  readonly id: ActionId;
  readonly label: string;
}

export function actionOf(id: ActionId): Action {
  return { id, label: t(`action.${id}`) };
}
