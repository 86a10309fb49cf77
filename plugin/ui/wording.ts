/**
 * The sentences of the user interface and the actions they offer. Pure. Obsidian's rules apply: sentence case, no
 * exclamation marks. Sentences about one answer are in `answer-words.ts`, those about the query language in `operators.ts`.
 *
 * Messages of the sidecar about a query or a note are shown unchanged: they are more specific than an error code.
 */
import { type MapOfContent, type Mode, type Why } from "../protocol/messages";
import { PROTOCOL_VERSION } from "../protocol/messages";
import { type FurtherPassages } from "../search/passage-loader";
import { type Answer } from "../search/session";
import { type Failure, type StartFailure } from "../sidecar/failure";
import { correctionWords, relaxedWords, unknownWordsLine, weaknessWords } from "./answer-words";
import { type Freshness, type Degradation, type PaneState } from "./pane-state";
import { joinSentences, noteCount, number, seconds } from "./formatting";

export const INSTALL_COMMANDS = ["uv tool install quarry-search", "pipx install quarry-search"] as const;
export const UPDATE_COMMANDS = ["uv tool upgrade quarry-search", "pipx upgrade quarry-search"] as const;

export type ActionId =
  | "check-again"
  | "clear-history"
  | "clear-query"
  | "copy-command"
  | "copy-report"
  | "go-to-error"
  | "open-settings"
  | "pause"
  | "restart"
  | "resume"
  | "search-again"
  | "search-both"
  | "search-typed"
  | "show-operators";

export interface Action {
  readonly id: ActionId;
  readonly label: string;
}

/** The content of a panel: its text, commands to copy, and actions, of which the first is the most useful one. */
export interface PanelWords {
  readonly title: string;
  readonly detail: string;
  readonly commands: readonly string[];
  readonly actions: readonly [Action, ...(readonly Action[])];
}

const ACTIONS: Readonly<Record<ActionId, string>> = {
  "check-again": "Check again",
  "clear-history": "Clear recent searches",
  "clear-query": "Clear search",
  "copy-command": "Copy command",
  "copy-report": "Copy diagnostics",
  "go-to-error": "Go to the error",
  "open-settings": "Open settings",
  pause: "Pause",
  restart: "Restart",
  resume: "Resume",
  "search-again": "Search again",
  "search-both": "Search by words and meaning",
  "search-typed": "Search as typed",
  "show-operators": "Show operators",
};

export function actionOf(id: ActionId): Action {
  return { id, label: ACTIONS[id] };
}

// --- the pane's body ------------------------------------------------------------------------------

/** The panel for a state of the pane; null when only rows are shown. */
export function panelWords(state: PaneState): PanelWords | null {
  switch (state.kind) {
    case "results":
    case "searching":
      return null;
    case "starting":
      return panel("Starting the search engine", "This takes a few seconds after Obsidian starts.", "open-settings");
    case "missing":
      return {
        ...panel(
          "The search engine is not installed",
          "Quarry uses a separate program that runs on this computer. To install it, run one of these commands in a terminal, then check again.",
          "copy-command",
          "check-again",
          "open-settings",
        ),
        commands: INSTALL_COMMANDS,
      };
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
        ? panel("Recent searches", "", "show-operators", "clear-history")
        : panel("Search your notes", `By words and by meaning. "Quotes" match a phrase, -word excludes notes, and path: and tag: narrow the search.`, "show-operators", "open-settings");
    case "no-results":
      return noResultsWords(state.answer, state.isIndexing);
    case "bad-query":
      return panel("The query has an error", joinSentences(state.message, state.next), state.position === null ? "clear-query" : "go-to-error");
    case "search-failed":
      return panel("The search failed", failureWords(state.failure), "search-again", "copy-report");
  }
}

function panel(title: string, detail: string, first: ActionId, ...others: readonly ActionId[]): PanelWords {
  return { title, detail, commands: [], actions: [actionOf(first), ...others.map(actionOf)] };
}

function outdatedWords(protocol: number | null, version: string | null): PanelWords {
  const found = version === null ? "" : ` (${version})`;
  if (protocol !== null && protocol > PROTOCOL_VERSION) {
    const detail = `The installed engine${found} is newer than this plugin. Update the plugin in the community plugins settings, then check again.`;
    return panel("The plugin needs an update", detail, "check-again", "copy-report");
  }
  const detail = `The installed engine${found} is too old for this plugin. To update it, run one of these commands in a terminal, then check again.`;
  return { ...panel("The search engine needs an update", detail, "copy-command", "check-again"), commands: UPDATE_COMMANDS };
}

function occupiedDetail(pid: number | null): string {
  const holder = pid === null ? "A process" : `Process ${pid}`;
  return `${holder} has it open and does not respond. Close other windows and tools that use this vault, then check again.`;
}

/** Names the query as understood, filters included: with several filters the user sees which one to drop. */
function noResultsWords({ mode, query, understood }: Answer, isIndexing: boolean): PanelWords {
  const title = `No results for ${query}`;
  const say = (advice: string): string => joinSentences(understood === "" ? "" : `Searched for ${understood}`, advice);
  if (isIndexing) return panel(title, say("Quarry is still indexing the vault. New results appear here as it finds them."), "clear-query");
  if (mode === "keyword") return panel(title, say("No notes contain these words. Notes with the same meaning may use other words."), "search-both");
  if (mode === "semantic") return panel(title, say("No notes are close in meaning. Some may contain the exact words."), "search-both");
  return panel(title, say("Try fewer filters, or fewer or different words. Excluded notes are never searched."), "clear-query", "open-settings");
}

// --- failures -------------------------------------------------------------------------------------

export function failureWords(failure: Failure): string {
  switch (failure.kind) {
    case "not-connected":
    case "disconnected":
      return "The search engine is not connected. Quarry is restarting it.";
    case "timed-out":
      return `No answer within ${seconds(failure.afterMs)}. The computer may be busy.`;
    case "cancelled":
      return "The request was cancelled.";
    case "bad-query":
    case "refused":
      return joinSentences(failure.message, failure.next);
  }
}

export function startFailureWords(failure: StartFailure): string {
  switch (failure.kind) {
    case "not-runnable":
      return `${failure.program} could not be run: ${failure.message}. Choose another engine in the settings or install it again.`;
    case "silent":
      return `The engine did not respond within ${seconds(failure.afterMs)}. The diagnostics include its log.`;
    case "garbled":
      return `The program is not a Quarry engine. It printed: ${failure.line}`;
    case "exited":
      return `The engine exited (${failure.signal ?? `code ${failure.code ?? "unknown"}`}). The diagnostics include its log.`;
    case "vault-missing":
      return "The engine cannot find the vault's folder. Check that its drive is connected.";
    case "index-too-new":
      return "This vault's index was written by a newer version. Update the engine. The index has not been changed.";
    case "unreachable":
      return "The engine is running but cannot be reached. A firewall may be blocking 127.0.0.1.";
  }
}

// --- one line each --------------------------------------------------------------------------------

export const MODE_NAMES: Readonly<Record<Mode, string>> = { hybrid: "Both", keyword: "Exact", semantic: "Meaning" };
export const MODE_TIPS: Readonly<Record<Mode, string>> = {
  // Each begins with the label of its button, because the tooltip is also the accessible name (WCAG 2.5.3, label in name).
  hybrid: "Both: by words and by meaning",
  keyword: "Exact: by words only",
  semantic: "Meaning: by meaning only",
};
export const WHY_TIPS: Readonly<Record<Why, string>> = {
  exact: "Found by its words",
  meaning: "Found by its meaning",
  both: "Found by its words and its meaning",
};

/** The line that names the maps of content of a hit; empty when there are none. */
export function mapsWords(maps: readonly MapOfContent[]): string {
  return maps.length === 0 ? "" : `In ${maps.map(({ title }) => title).join(", ")}`;
}

export function openMapWords(title: string): string {
  return `Open map “${title}”`;
}

export function degradationWords({ leg, reason }: Degradation): string {
  return `${leg === "dense" ? "Meaning search" : "Word search"} is off. ${reason}`;
}

export interface FreshnessWords {
  readonly text: string;
  /** Null when no action helps. */
  readonly action: Action | null;
}

export function freshnessWords(freshness: Freshness): FreshnessWords {
  switch (freshness.kind) {
    case "off":
      return say("Not running", "restart");
    case "starting":
      return say("Starting");
    case "preparing":
      return say("Checking for changes");
    case "trouble":
      return say(ENGINE_PROBLEMS[freshness.engine]);
    case "indexing":
      return say(`Indexing ${number(freshness.done)} of ${noteCount(freshness.total)}${remaining(freshness.remainingMs)}`, "pause");
    case "updating":
      return say(`Updating ${noteCount(freshness.pending)}`);
    case "paused":
      return say(freshness.pending > 0 ? `Paused · ${noteCount(freshness.pending)} waiting` : "Paused", "resume");
    case "index-failed":
      return say(freshness.message ?? "The index has a problem", "open-settings");
    case "deepening":
      return say(`Live · ${noteCount(freshness.notes)} · deepened ${number(Math.floor((100 * freshness.done) / freshness.total))} %${remaining(freshness.remainingMs)}`);
    case "live":
      return freshness.problems > 0
        ? say(`Live · ${noteCount(freshness.notes)} · ${number(freshness.problems)} with problems`, "open-settings")
        : say(`Live · ${noteCount(freshness.notes)}`);
  }
}

const ENGINE_PROBLEMS = {
  missing: "Engine not installed",
  outdated: "Engine needs an update",
  occupied: "Index in use by another program",
  failed: "Engine stopped",
  disconnected: "Reconnecting",
} as const;

function say(text: string, action: ActionId | null = null): FreshnessWords {
  return { text, action: action === null ? null : actionOf(action) };
}

function remaining(ms: number | null): string {
  if (ms === null) return "";
  return ms < 60_000 ? ` · ${seconds(ms)} left` : ` · ${number(Math.ceil(ms / 60_000))} min left`;
}

/** The age of a note, abbreviated. */
export function ageWords(ageMs: number): string {
  const minutes = Math.floor(ageMs / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h`;
  const days = Math.floor(hours / 24);
  if (days < 31) return `${days} d`;
  return days < 365 ? `${Math.floor(days / 30.44)} mo` : `${Math.floor(days / 365)} y`;
}

export function modifiedWords(modifiedMs: number): string {
  return `Modified ${new Date(modifiedMs).toLocaleString()}`;
}

/** The line below a hit with `count` further passages. */
export function furtherPassagesWords(state: FurtherPassages, count: number, isSlow: boolean): string {
  switch (state.kind) {
    case "folded":
      return morePassages(count);
    case "loading":
      if (state.previous.length > 0) return SHOW_LESS;
      return isSlow ? `Loading ${morePassages(count)}…` : morePassages(count);
    case "unfolded":
      return state.passages.length === 0 ? NO_MORE_PASSAGES : SHOW_LESS;
    case "failed":
      return joinSentences(PASSAGES_FAILED, failureWords(state.failure));
  }
}

/** The announcement for screen readers when the further passages of a hit change; empty when nothing is to be said. */
export function passagesAnnouncement(state: FurtherPassages, title: string): string {
  switch (state.kind) {
    case "folded":
    case "loading":
      return "";
    case "unfolded":
      return `${state.passages.length === 0 ? NO_MORE_PASSAGES : morePassages(state.passages.length)} in ${title}`;
    case "failed":
      return joinSentences(PASSAGES_FAILED, failureWords(state.failure));
  }
}

const SHOW_LESS = "Show less";
const NO_MORE_PASSAGES = "No more passages";
const PASSAGES_FAILED = "More passages could not be loaded";

function morePassages(count: number): string {
  return count === 1 ? "1 more passage" : `${number(count)} more passages`;
}

/** The announcement of a state for screen readers. */
export function announcement(state: PaneState): string {
  if (state.kind === "results") {
    const { hits, corrections, unknownWords, relaxed, weakness, understood } = state.answer;
    const lines = [correctionWords(corrections), unknownWordsLine(unknownWords), relaxedWords(relaxed, understood), weaknessWords({ weakness, relaxed })];
    const adjustments = lines.filter((line) => line !== "");
    return [`${noteCount(hits.length)} found`, ...adjustments].join(". ");
  }
  const words = panelWords(state);
  return words === null || state.kind === "empty" ? "" : `${words.title}. ${words.detail}`;
}

// --- names of things ------------------------------------------------------------------------------

export const TEXT = {
  viewTitle: "Quarry search",
  placeholder: "Search by words and meaning",
  modeLabel: "Search mode",
  listLabel: "Search results",
  completionsLabel: "Suggestions",
  recentLabel: "Recent searches",
  headingSeparator: " › ",
  retry: "Try again",
  openPane: "Open Quarry search",
  menu: {
    open: "Open",
    openTab: "Open in new tab",
    openSplit: "Open to the right",
    copyLink: "Copy link to passage",
    copyText: "Copy passage",
    explain: "Why is this here?",
  },
  commands: {
    openSearch: "Open search",
    searchSelection: "Search selected text",
    explainNote: "Explain why the active note is or is not in the results",
    rebuild: "Rebuild index",
    pauseOrResume: "Pause or resume indexing",
    restart: "Restart search engine",
    copyReport: "Copy diagnostics",
  },
  notices: {
    copied: "Copied",
    noteGone: "This note is no longer in the vault",
    rebuilding: "Rebuilding the index. Search uses the old one until the new one is complete.",
    paused: "Indexing paused",
    resumed: "Indexing resumed",
    gaveUp: "Quarry: the search engine is not running. Open the search pane for details.",
    desktopOnly: "Quarry requires the desktop app and a vault in a local folder",
  },
  settings: {
    paneGroup: "Search pane",
    limit: "Maximum results",
    limitHelp: "The number of notes that a search shows.",
    statusBar: "Show status in the status bar",
    statusBarHelp: "Whether the index is up to date, how many notes it contains, and what it is doing.",
    engineGroup: "Search engine on this device",
    status: "Status",
    enginePath: "Program path",
    enginePathHelp: "Full path of the quarry program. Leave empty to look in the usual places. Stored on this device only and never synced.",
    enginePathExample: "~/.local/bin/quarry",
    enginePathNotAbsolute: "Enter a full path",
    restart: "Restart engine",
    restartHelp: "Stops the engine and starts it again.",
    vaultGroup: "This vault",
    vaultUnavailable: "Available while the engine is running.",
    include: "Include only these folders",
    includeHelp: "One per line. Leave empty to search the whole vault.",
    exclude: "Exclude these folders",
    excludeHelp: "One per line. Notes in them are neither indexed nor found.",
    templates: "Search templates",
    templatesHelp: "Whether notes in the template folders of Templates and Templater are found.",
    excludeStatus: "Exclude notes by status",
    excludeStatusHelp: "Values of the property status, between commas. Notes with one of them are not found, unless a search names the status.",
    excludeStatusExample: "archived, draft",
    model: "Embedding model",
    modelHelp: "The bundled model works offline. You can enter a folder instead, or the name of a Hugging Face model, which the engine downloads. A transformer needs the engine's extra “transformer”; it takes a while to go through all notes, and the bundled model answers until then.",
    lexicalWeight: "Weight of words",
    denseWeight: "Weight of meaning",
    weightHelp: "From 0 to 100. Equal weights work best for most vaults.",
    fusion: "Ranking method",
    fusionHelp: "How the results by words and by meaning are combined. The weighted sum works best for most vaults. Reciprocal rank fusion uses only the two ranks. The six signals also weigh age, severity, tags and domain.",
    stemming: "Word forms",
    stemmingHelp: "Whether a word matches its other forms, such as running for run. Changing this indexes all notes again; search goes on meanwhile.",
    stemmingChanged: "All notes are being indexed again. Search goes on meanwhile.",
    weightInvalid: "Enter a number from 0 to 100",
    rebuild: "Rebuild index",
    rebuildHelp: "Reads every note again. Search uses the old index until the new one is complete.",
    rebuildButton: "Rebuild",
    restartButton: "Restart",
    reportButton: "Copy diagnostics",
    report: "Diagnostics",
    reportHelp: "Attach these to a bug report. They contain no note text, queries or credentials.",
    problems: "Notes with problems",
    skipped: "not indexed",
    partly: "partially indexed",
  },
} as const;

export function statusSummary(notes: number, chunks: number, excluded: number, sizeBytes: number): string {
  return `${noteCount(notes)} in ${number(chunks)} passages · ${number(excluded)} excluded · ${(sizeBytes / 1e6).toFixed(1)} MB`;
}

/** The diagnostics as text, one fact per line. */
export function reportText(facts: readonly (readonly [string, string])[], log: string): string {
  const lines = facts.map(([label, value]) => `${label}: ${value}`);
  return [...lines, "", "Engine log:", log.trim() === "" ? "(none)" : log.trim()].join("\n");
}
