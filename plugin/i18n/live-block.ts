/** What does a live block in a note say? Pure. */
import { type PaneModel, stateOf } from "../pane/model";
import { answerOf } from "../search/answer";
import { type BlockError, type BlockSpec } from "../search/block-spec";
import { noteCount, plainList } from "./formatting";
import { type PanelWords, info, panelWords } from "./panels";
import { t } from "./translate";

/** What is wrong with the text of a block, and what to write instead. */
export function blockErrorWords(error: BlockError): string {
  switch (error.kind) {
    case "no-query":
      return t("block.noQuery");
    case "unknown-option":
      return t("block.unknownOption", { line: error.line, name: error.name, options: plainList(error.options) });
    case "bad-value":
      return t("block.badValue", { line: error.line, name: error.name, allowed: plainList(error.allowed) });
    case "bad-limit":
      return t("block.badLimit", { line: error.line, name: "limit", most: error.most });
  }
}

/** How many notes there are, for the head of a block; empty while it is not known. */
export function blockCountWords(model: PaneModel, shows: BlockSpec["shows"]): string {
  const answer = answerOf(model.search);
  if (!answer) return "";
  const { hits, total } = answer;
  return shows === "rows" && hits.length < total ? t("answer.count", { shown: hits.length, count: total }) : noteCount(total);
}

/** What stands in place of rows. A note is no place for a dialog: a block says one line where the pane says more. */
export function blockPanel(model: PaneModel): PanelWords | null {
  const state = stateOf(model);
  if (state.kind === "empty" || state.kind === "results" || state.kind === "searching") return null;
  if (state.kind === "no-results") return info(t("block.noResults"), "");
  const words = panelWords(state);
  return words && { ...words, commands: [], hasWayOut: false };
}
