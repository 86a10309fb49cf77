/** What does the pane say in each of its states, and what does it offer? Pure. */
import { PROTOCOL_VERSION } from "../protocol/messages";
import { type ActionId } from "../pane/commands";
import { type PaneModel, stateOf } from "../pane/model";
import { type PaneState, helpState } from "../pane/state";
import { type Answer } from "../search/answer";
import { type Action, actionOf } from "./actions";
import { remarkOn, understoodWords } from "./answer";
import { installWords, updateWords } from "./engine";
import { failureWords, startFailureWords } from "./failures";
import { joinSentences } from "./formatting";
import { t } from "./translate";

/** The content of a panel: its text, commands to copy, and actions, the most useful one first. */
export interface PanelWords {
  readonly title: string;
  readonly detail: string;
  readonly commands: readonly string[];
  /** The end of the engine's log, line by line. */
  readonly log?: readonly string[];
  readonly actions: readonly Action[];
  /** The first action is the way out of the state, and looks like it. */
  readonly hasWayOut: boolean;
}

/** The panel that a model shows; null when only rows are shown. */
export function shownPanel(model: PaneModel): PanelWords | null {
  const state = stateOf(model);
  // Rows of the query before stay where they are while this one cannot be read: the line above them says so.
  if (state.kind === "bad-query" && model.rows.length > 0) return null;
  const help = model.showsHelp ? helpState(model.engine) : null;
  return panelWords(help ?? state);
}

/** The panel for a state of the pane; null when only rows are shown. */
export function panelWords(state: PaneState): PanelWords | null {
  switch (state.kind) {
    case "results":
    case "searching":
      return null;
    case "starting":
      return info(t("panel.starting"), t("panel.startingDetail"));
    case "missing": {
      const { detail, commands } = installWords(state);
      return { ...panel(t("panel.missing"), detail, "copy-command", "check-again", "open-settings"), commands };
    }
    case "unapproved":
      return unapprovedWords(state.program, state.isDeclined);
    case "outdated":
      return outdatedWords(state.protocol, state.version);
    case "occupied":
      return panel(t("panel.occupied"), occupiedDetail(state.pid), "check-again", "copy-report");
    case "failed":
      return failedWords(state);
    case "disconnected":
      return panel(t("panel.disconnected"), t("panel.disconnectedDetail"), "restart", "copy-report");
    case "empty":
      return state.hasHistory
        ? null
        : info(t("panel.empty"), t("panel.emptyDetail"), "show-operators");
    case "no-results":
      return noResultsWords(state.answer, state.isIndexing);
    case "bad-query":
      return panel(t("panel.badQuery"), failureWords(state), state.position === null ? "clear-query" : "go-to-error");
    case "search-failed":
      return panel(t("panel.searchFailed"), failureWords(state.failure), "search-again", "copy-report");
  }
}

/** A panel whose first action is the way out. */
function panel(title: string, detail: string, ...actions: readonly ActionId[]): PanelWords {
  return { title, detail, commands: [], actions: actions.map(actionOf), hasWayOut: true };
}

/** A panel for a state that nobody needs to leave. */
export function info(title: string, detail: string, ...actions: readonly ActionId[]): PanelWords {
  return { ...panel(title, detail, ...actions), hasWayOut: false };
}

const LOG_LINES = 5; // the last ones say what ended it

function failedWords({ failure, log }: Extract<PaneState, { kind: "failed" }>): PanelWords {
  const lines = log.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const title = failure.kind === "exited" ? t("panel.stopping") : t("panel.failed");
  return { ...panel(title, startFailureWords(failure), "restart", "copy-report"), log: lines.slice(-LOG_LINES) };
}

function outdatedWords(protocol: number | null, version: string | null): PanelWords {
  const say = (detail: string): string => joinSentences(detail, version === null ? "" : t("panel.installed", { version }));
  if (protocol !== null && protocol > PROTOCOL_VERSION) {
    return panel(t("panel.newer"), say(t("panel.newerDetail")), "check-again", "copy-report");
  }
  const { detail, commands } = updateWords();
  return { ...panel(t("panel.outdated"), say(joinSentences(t("panel.outdatedDetail"), detail)), "copy-command", "check-again"), commands };
}

function unapprovedWords(program: string, isDeclined: boolean): PanelWords {
  const words = isDeclined
    ? info(t("panel.declined"), t("panel.declinedDetail"), "start-engine", "open-settings")
    : panel(t("panel.unapproved"), t("panel.unapprovedDetail"), "start-engine", "decline-engine", "open-settings");
  return { ...words, commands: [program] };
}

function occupiedDetail(pid: number | null): string {
  return pid === null ? t("panel.occupiedDetail") : t("panel.occupiedDetailPid", { pid: String(pid) });
}

/** Names the query as understood, filters included: with several filters the user sees which one to drop. */
function noResultsWords(answer: Answer, isIndexing: boolean): PanelWords {
  const { mode, query } = answer;
  const title = t("panel.noResults", { query });
  const say = (advice: string): string => joinSentences(understoodWords(answer), advice);
  if (isIndexing) return info(title, say(t("panel.noResultsIndexing")), "clear-query");
  if (mode === "keyword") return panel(title, say(t("panel.noResultsKeyword")), "search-both");
  if (mode === "semantic") return panel(title, say(t("panel.noResultsSemantic")), "search-both");
  return info(title, say(t("panel.noResultsHybrid")), "clear-query", "open-settings");
}

/** The announcement of a state for screen readers. */
export function announcement(state: PaneState): string {
  if (state.kind === "results") {
    return joinSentences(t("answer.found", { count: state.answer.total }), remarkOn(state.answer));
  }
  const words = panelWords(state);
  return words === null || state.kind === "empty" ? "" : joinSentences(words.title, words.detail);
}
