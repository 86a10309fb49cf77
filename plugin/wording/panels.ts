/** What does the pane say in each of its states, and what does it offer? Pure. */
import { PROTOCOL_VERSION } from "../protocol/messages";
import { type ActionId } from "../pane/commands";
import { type PaneModel, stateOf } from "../pane/model";
import { type PaneState, helpState } from "../pane/state";
import { type Answer } from "../search/answer";
import { type Action, actionOf } from "./actions";
import { remarkOn } from "./answer";
import { ENGINE_TEXT, installWords, updateCommands, updateHint } from "./engine";
import { failureWords, startFailureWords } from "./failures";
import { joinSentences, noteCount } from "./formatting";

/** The content of a panel: its text, commands to copy, and actions, the most useful one first. */
export interface PanelWords {
  readonly title: string;
  readonly detail: string;
  readonly commands: readonly string[];
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
      return info("Starting the search engine", "This takes a few seconds after Obsidian starts.");
    case "missing": {
      const { detail, commands } = installWords(state);
      return { ...panel("The search engine is not installed", detail, "copy-command", "check-again", "open-settings"), commands };
    }
    case "unapproved":
      return unapprovedWords(state.program, state.isDeclined);
    case "outdated":
      return outdatedWords(state.protocol, state.version);
    case "occupied":
      return panel("Another program is using this vault's index", occupiedDetail(state.pid), "check-again", "copy-report");
    case "failed":
      return panel("The search engine is not running", startFailureWords(state.failure), "restart", "copy-report");
    case "disconnected":
      return panel("The search engine stopped", "Quarry is restarting it. The results shown may be out of date.", "restart", "copy-report");
    case "empty":
      return state.hasHistory
        ? null
        : info("Search your notes", `By words and by meaning. "Quotes" match a phrase, -word excludes notes, and path: and tag: narrow the search.`, "show-operators");
    case "no-results":
      return noResultsWords(state.answer, state.isIndexing);
    case "bad-query":
      return panel("Check the query", joinSentences(state.message, state.next), state.position === null ? "clear-query" : "go-to-error");
    case "search-failed":
      return panel("The search failed", failureWords(state.failure), "search-again", "copy-report");
  }
}

/** A panel whose first action is the way out. */
function panel(title: string, detail: string, ...actions: readonly ActionId[]): PanelWords {
  return { title, detail, commands: [], actions: actions.map(actionOf), hasWayOut: true };
}

/** A panel for a state that nobody needs to leave. */
function info(title: string, detail: string, ...actions: readonly ActionId[]): PanelWords {
  return { ...panel(title, detail, ...actions), hasWayOut: false };
}

function outdatedWords(protocol: number | null, version: string | null): PanelWords {
  const found = version === null ? "" : ` (${version})`;
  if (protocol !== null && protocol > PROTOCOL_VERSION) {
    const detail = `The installed engine${found} is newer than this plugin. Update the plugin in the community plugins settings, then check again.`;
    return panel("The plugin needs an update", detail, "check-again", "copy-report");
  }
  const detail = `The installed engine${found} is too old for this plugin. To update it, run one of these commands in a terminal, then check again.`;
  return { ...panel("The search engine needs an update", joinSentences(detail, updateHint()), "copy-command", "check-again"), commands: updateCommands() };
}

function unapprovedWords(program: string, isDeclined: boolean): PanelWords {
  const words = isDeclined
    ? info(ENGINE_TEXT.declined, ENGINE_TEXT.declinedDetail, "start-engine", "open-settings")
    : panel(ENGINE_TEXT.question, ENGINE_TEXT.asked, "start-engine", "decline-engine", "open-settings");
  return { ...words, commands: [program] };
}

function occupiedDetail(pid: number | null): string {
  const holder = pid === null ? "A process" : `Process ${pid}`;
  return `${holder} has it open and does not respond. Close other windows and tools that use this vault, then check again.`;
}

/** Names the query as understood, filters included: with several filters the user sees which one to drop. */
function noResultsWords({ mode, query, understood }: Answer, isIndexing: boolean): PanelWords {
  const title = `No results for ${query}`;
  const say = (advice: string): string => joinSentences(understood === "" ? "" : `Searched for ${understood}`, advice);
  if (isIndexing) return info(title, say("Quarry is still indexing the vault. New results appear here as it finds them."), "clear-query");
  if (mode === "keyword") return panel(title, say("No notes contain these words. Notes with the same meaning may use other words."), "search-both");
  if (mode === "semantic") return panel(title, say("No notes are close in meaning. Some may contain the exact words."), "search-both");
  return info(title, say("Try fewer filters, or fewer or different words. Excluded notes are never searched."), "clear-query", "open-settings");
}

/** The announcement of a state for screen readers. */
export function announcement(state: PaneState): string {
  if (state.kind === "results") {
    const remark = remarkOn(state.answer);
    return `${noteCount(state.answer.hits.length)} found${remark === "" ? "" : `. ${remark}`}`;
  }
  const words = panelWords(state);
  return words === null || state.kind === "empty" ? "" : `${words.title}. ${words.detail}`;
}
