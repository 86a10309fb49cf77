/** What is said of the index: is it current, and what is it doing? Pure. */
import { type Degradation, type Freshness } from "../pane/state";
import { type ActionId } from "../pane/commands";
import { type Action, actionOf } from "./actions";
import { noteCount, number, seconds } from "./formatting";

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
    case "loading-model":
      return say(`${noteCount(freshness.notes)} · loading the model for search by meaning`);
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

/** Below the bar, while nothing else is shown. */
export const INDEXING_HINT = "Notes can be found as soon as they are indexed.";

const ENGINE_PROBLEMS = {
  missing: "Engine not installed",
  unapproved: "Engine not started",
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

export function statusSummary(notes: number, chunks: number, excluded: number, sizeBytes: number): string {
  return `${noteCount(notes)} in ${number(chunks)} passages · ${number(excluded)} excluded · ${(sizeBytes / 1e6).toFixed(1)} MB`;
}
