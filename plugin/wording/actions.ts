/** How are the actions called that a button offers? Pure. */
import { type ActionId } from "../pane/commands";

export interface Action {
  readonly id: ActionId;
  readonly label: string;
}

const ACTIONS: Readonly<Record<ActionId, string>> = {
  "change-density": "Change the size of rows",
  "check-again": "Check again",
  "clear-history": "Clear recent searches",
  "clear-query": "Clear search",
  "copy-command": "Copy command",
  "copy-report": "Copy diagnostics",
  "decline-engine": "Not now",
  "engine-help": "Details",
  "go-to-error": "Go to the error",
  "open-settings": "Open settings",
  pause: "Pause",
  restart: "Restart",
  resume: "Resume",
  "start-engine": "Start",
  "search-again": "Search again",
  "search-both": "Search by words and meaning",
  "search-typed": "Search as typed",
  "show-operators": "Search operators",
};

export function actionOf(id: ActionId): Action {
  return { id, label: ACTIONS[id] };
}
