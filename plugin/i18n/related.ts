/** What does the view of related notes say? Pure. */
import { type PaneModel, stateOf } from "../pane/model";
import { failureWords } from "./failures";
import { type PanelWords, info, panelWords } from "./panels";
import { t } from "./translate";

/** The line that says what the notes are related to. */
export function relatedToWords(name: string, isSelection: boolean): string {
  return t(isSelection ? "related.toSelection" : "related.to", { name });
}

/** What stands in place of rows; null where there are some, or will be at once. */
export function relatedPanel(model: PaneModel): PanelWords | null {
  const state = stateOf(model);
  switch (state.kind) {
    case "empty":
      return info(t("related.noNote"), t("related.noNoteDetail"));
    case "no-results":
      return info(t("related.none"), t(state.isIndexing ? "related.noneYet" : "related.noneDetail"));
    case "search-failed":
      return info(t("related.failed"), failureWords(state.failure));
    case "bad-query":
      return info(t("related.failed"), failureWords(state));
    case "results":
    case "searching":
    case "starting":
    case "missing":
    case "unapproved":
    case "outdated":
    case "occupied":
    case "failed":
    case "disconnected":
      return panelWords(state);
  }
}
