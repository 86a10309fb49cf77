/** What lists say in each of their states, and what they offer: the pane, related notes, live blocks, the search in a note. Pure. */
import { type ActionId } from "../pane/commands";
import { type PaneModel, stateOf } from "../pane/model";
import { type PaneState, degradation, firstIndexShare, helpState } from "../pane/state";
import { PROTOCOL_VERSION } from "../protocol/messages";
import { type Answer, answerOf, queryWithoutFilters } from "../search/answer";
import { type BlockError, type BlockSpec } from "../search/block-spec";
import { type NoteSearchState } from "../search/note-search";
import { quotedAsTyped } from "../search/spelling";
import { type Action, actionOf, chosenKeys, chosenWords } from "./actions";
import { absentWords, answerTip, countWords, noWordsWords, remarkOn, understoodWords, unmatchedWords } from "./answer";
import { failureWords, installSteps, scopeWords, startFailureWords, type Step, updateSteps } from "./engine";
import { joinFacts, joinSentences, noteCount, percent, plainList } from "./formatting";
import { degradationWords } from "./inspection";
import { say, t } from "./translate";

/** The content of a panel: its text, steps or the path of a program, and actions, the most useful one first. */
export interface PanelWords {
  readonly title: string;
  readonly detail: string;
  readonly steps?: readonly Step[];
  readonly program?: string;
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
    case "unmatched":
      return null;
    case "starting":
      return info(t("panel.starting"), t("panel.startingDetail"));
    case "missing":
      return { ...panel(t("panel.missing"), t("engine.what"), "check-again", "open-settings"), steps: installSteps(state) };
    case "unapproved":
      return unapprovedWords(state.program, state.isDeclined);
    case "outdated":
      return outdatedWords(state.protocol, state.version);
    case "occupied":
      return panel(t("panel.occupied"), state.pid === null ? t("panel.occupiedDetail") : t("panel.occupiedDetailPid", { pid: String(state.pid) }), "check-again", "copy-report");
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
  return { title, detail, actions: actions.map(actionOf), hasWayOut: true };
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
  return { ...panel(t("panel.outdated"), say(t("panel.outdatedDetail")), "check-again"), steps: updateSteps() };
}

function unapprovedWords(program: string, isDeclined: boolean): PanelWords {
  const words = isDeclined
    ? info(t("panel.declined"), t("panel.declinedDetail"), "start-engine", "open-settings")
    : panel(t("panel.unapproved"), t("panel.unapprovedDetail"), "start-engine", "decline-engine", "open-settings");
  return { ...words, program };
}

/** Names the query as understood, filters included: with several filters the user sees which one to drop. */
function noResultsWords(answer: Answer, isIndexing: boolean): PanelWords {
  const { mode, query, weakness } = answer;
  const filters = queryWithoutFilters(answer) === null ? [] : [actionOf("drop-filters")];
  if (answer.unmet) {
    const { start = 0, end = 0, removable = false } = answer.clauses[answer.unmet.clause] ?? {};
    const remove = { id: "remove-filter", label: t("panel.removeFilter", { filter: query.slice(start, end).trim() }) } as const;
    return { ...panel(say(answer.unmet.message), ""), actions: removable ? [remove, ...filters] : filters };
  }
  if (weakness === "no-words" && !isIndexing) return { ...info(noWordsWords(answer), ""), actions: filters };
  const title = t("panel.noResults", { query });
  const withAdvice = (advice: string): string => joinSentences(understoodWords(answer), advice);
  if (isIndexing) return info(title, withAdvice(t("panel.noResultsIndexing")), "clear-query");
  if (mode === "keyword") return panel(title, withAdvice(t("panel.noResultsKeyword")), "search-both");
  if (mode === "semantic") return panel(title, withAdvice(t("panel.noResultsSemantic")), "search-both");
  return info(title, withAdvice(t("panel.noResultsHybrid")), "clear-query", "open-settings");
}

/** The announcement of a state for screen readers. */
export function announcement(state: PaneState): string {
  if (state.kind === "results") {
    const { hits, total } = state.answer;
    const counted = countWords(state.answer);
    const isPlain = counted === "" || counted === noteCount(total);
    return joinSentences(isPlain ? t("answer.found", { count: counted === "" ? hits.length : total }) : counted, remarkOn(state.answer), absentWords(state.answer));
  }
  if (state.kind === "unmatched") return unmatchedWords(state.answer);
  const words = panelWords(state);
  return words === null || state.kind === "empty" ? "" : joinSentences(words.title, words.detail);
}

export interface StatusWords {
  readonly tone: "count" | "remark" | "warning";
  readonly text: string;
  /** More about it, for the tooltip; may be empty. */
  readonly tip: string;
  readonly action: Action | null;
}

const NOTHING: StatusWords = { tone: "count", text: "", tip: "", action: null };

/** The trouble with the query, else what was changed about it, else what is unavailable, else the count. */
export function statusWords(model: PaneModel, isMac: boolean): StatusWords {
  const state = stateOf(model);
  const answer = answerOf(model.search);
  const share = answer && answer.hits.length > 0 ? firstIndexShare(model.engine.kind, model.status) : null;
  if (share !== null) return { tone: "remark", text: t("answer.partial", { percent: percent(Math.floor(100 * share) / 100) }), tip: "", action: model.status?.state === "paused" ? null : actionOf("pause") };
  const scope = answer?.byNames ? { tone: "remark" as const, ...scopeWords(model.engine.kind, answer) } : null;
  if (state.kind === "bad-query" && model.rows.length > 0) {
    return { tone: "warning", text: failureWords(state), tip: "", action: state.position === null ? null : actionOf("go-to-error") };
  }
  const absent = answer ? absentWords(answer) : "";
  if (state.kind === "unmatched") return { tone: "remark", text: joinSentences(unmatchedWords(state.answer), absent), tip: "", action: null };
  if (!answer || answer.hits.length === 0) return scope ?? (absent === "" ? NOTHING : { tone: "warning", text: absent, tip: "", action: null });
  const chosen = chosenWords(model.selection.chosen.size);
  if (chosen !== "") return { tone: "count", text: joinFacts(chosen, chosenKeys(isMac)), tip: countWords(answer), action: null };
  if (scope) return scope;
  const tip = joinFacts(countWords(answer), answerTip(answer));
  const remark = remarkOn(answer);
  if (absent === "" && remark === t("answer.unlikely")) return { tone: "count", text: remark, tip, action: null };
  const action = quotedAsTyped(answer.query, answer.corrections) === null ? null : actionOf("search-typed");
  if (absent !== "") return { tone: "warning", text: joinSentences(remark, absent), tip, action };
  if (remark !== "") return { tone: "remark", text: remark, tip, action };
  const missing = model.engine.kind === "live" ? degradation(model.status, model.search) : null;
  if (missing) return { tone: "warning", text: degradationWords(missing), tip, action: null };
  return { tone: "count", text: countWords(answer), tip: answerTip(answer), action: null };
}

/** The line that says what the notes are related to. */
export function relatedToWords(name: string, isSelection: boolean): string {
  return t(isSelection ? "related.toSelection" : "related.to", { name });
}

/** What stands in place of rows; null where there are some, or will be at once. */
export function relatedPanel(model: PaneModel): PanelWords | null {
  const state = stateOf(model);
  if (state.kind === "empty") return info(t("related.noNote"), t("related.noNoteDetail"));
  if (state.kind === "no-results") return info(t("related.none"), t(state.isIndexing ? "related.noneYet" : "related.noneDetail"));
  if (state.kind === "search-failed") return info(t("related.failed"), failureWords(state.failure));
  return state.kind === "bad-query" ? info(t("related.failed"), failureWords(state)) : panelWords(state);
}

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
  if (shows === "rows" && hits.length > 0 && total === 0) return "";
  if (shows === "count") return noteCount(total);
  return hits.length < total ? t("answer.count", { shown: hits.length, count: total }) : countWords(answer);
}

/** What stands in place of rows. A note is no place for a dialog: a block says one line where the pane says more. */
export function blockPanel(model: PaneModel): PanelWords | null {
  const state = stateOf(model);
  if (state.kind === "empty" || state.kind === "results" || state.kind === "searching") return null;
  if (state.kind === "no-results") return info(state.answer.unmet ? say(state.answer.unmet.message) : t("block.noResults"), "");
  const words = panelWords(state);
  return words && { title: words.title, detail: words.detail, actions: words.actions, hasWayOut: false };
}

/** Which passage of how many; else why there is none. */
export function noteCountWords({ query, passages, current, failure, isAsking }: NoteSearchState): string {
  if (failure) return failureWords(failure);
  if (query === "" || (isAsking && passages.length === 0)) return "";
  return passages.length === 0 ? t("inNote.none") : t("inNote.count", { at: (current ?? 0) + 1, of: passages.length });
}
