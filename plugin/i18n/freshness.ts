/** What is said of the index: is it current, and what is it doing? Pure. */
import { type Degradation, type Freshness } from "../pane/state";
import { type ActionId } from "../pane/commands";
import { type Deepening, type IndexStatus } from "../protocol/messages";
import { type Action, actionOf } from "./actions";
import { joinFacts, megabytes, noteCount, percent, seconds } from "./formatting";
import { toldWords } from "./told";
import { t } from "./translate";

export function degradationWords({ retriever, reason, told }: Degradation): string {
  return t(`freshness.${retriever}`, { reason: toldWords([told], reason) });
}

export interface FreshnessWords {
  readonly text: string;
  /** Null when no action helps. */
  readonly action: Action | null;
}

export function freshnessWords(freshness: Freshness): FreshnessWords {
  switch (freshness.kind) {
    case "off":
      return say(t("freshness.off"), "restart");
    case "starting":
    case "preparing":
      return say(t(`freshness.${freshness.kind}`));
    case "trouble":
      return say(t(`freshness.${freshness.engine}`));
    case "indexing":
      return say(joinFacts(t("freshness.indexing", { done: freshness.done, count: freshness.total }), remaining(freshness.remainingMs)), "pause");
    case "loading-model":
      return say(joinFacts(noteCount(freshness.notes), t("freshness.loading-model")));
    case "updating":
      return say(t("freshness.updating", { count: freshness.pending }));
    case "paused":
      return say(joinFacts(t("freshness.paused"), freshness.pending > 0 ? t("freshness.waiting", { count: freshness.pending }) : ""), "resume");
    case "index-failed":
      return say(messageWords(freshness) ?? t("freshness.index-failed"), "open-settings");
    case "deepening":
      return say(joinFacts(t("freshness.live"), noteCount(freshness.notes), deepened(freshness.done, freshness.total), remaining(freshness.remainingMs)));
    case "live":
      return freshness.problems > 0
        ? say(joinFacts(t("freshness.live"), noteCount(freshness.notes), t("freshness.problems", { count: freshness.problems })), "open-inspector")
        : say(joinFacts(t("freshness.live"), noteCount(freshness.notes)));
  }
}

/** What a person should know of the index; null where there is nothing. */
export function messageWords({ message, told }: Pick<IndexStatus, "message" | "told">): string | null {
  return message === null ? null : toldWords(told === null ? [] : [told], message);
}

/** Why the index is not deepened by a model; null where it is. */
export function deepeningWords({ model, message }: Deepening): string | null {
  return message === null ? null : toldWords([{ code: "model-missing", args: { model } }], message);
}

function say(text: string, action: ActionId | null = null): FreshnessWords {
  return { text, action: action === null ? null : actionOf(action) };
}

function remaining(ms: number | null): string {
  if (ms === null) return "";
  return ms < 60_000 ? t("freshness.secondsLeft", { count: seconds(ms) }) : t("freshness.minutesLeft", { count: Math.ceil(ms / 60_000) });
}

/** Rounded down, so that it says 100 % only at the end. */
function deepened(done: number, total: number): string {
  return t("freshness.deepened", { percent: percent(Math.floor((100 * done) / total) / 100) });
}

export function statusSummary(notes: number, chunks: number, excluded: number, sizeBytes: number): string {
  return joinFacts(noteCount(notes), t("count.passages", { count: chunks }), t("freshness.excluded", { count: excluded }), megabytes(sizeBytes));
}
