/** What does the view of related notes say? Pure. */
import { type PaneModel, stateOf } from "../pane/model";
import { failureWords } from "./failures";
import { type PanelWords, panelWords } from "./panels";

export const RELATED = {
  viewTitle: "Related notes",
  command: "Open related notes",
  pin: "Pin: stay with this note",
  unpin: "Unpin: follow the open note",
} as const;

/** The line that says what the notes are related to. */
export function relatedToWords(name: string, isSelection: boolean): string {
  return isSelection ? `Related to the selection in ${name}` : `Related to ${name}`;
}

/** What stands in place of rows; null where there are some, or will be at once. */
export function relatedPanel(model: PaneModel): PanelWords | null {
  const state = stateOf(model);
  switch (state.kind) {
    case "empty":
      return say("No note is open", "Open a note to see the notes that are related to it.");
    case "no-results":
      return say("No related notes", state.isIndexing ? "Quarry is still indexing the vault. Related notes appear here as it finds them." : "No other note in this vault is about the same things.");
    case "search-failed":
      return say("Related notes could not be loaded", failureWords(state.failure));
    case "bad-query":
      return say("Related notes could not be loaded", state.message);
    case "results":
    case "searching":
    case "starting":
    case "missing":
    case "outdated":
    case "occupied":
    case "failed":
    case "disconnected":
      return panelWords(state);
  }
}

function say(title: string, detail: string): PanelWords {
  return { title, detail, commands: [], actions: [], hasWayOut: false };
}
