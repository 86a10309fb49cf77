/** The state of the index in words: is it current, what is in it, and why is a note not found? Pure. */
import { type WayOut } from "../inspector/ways-out";
import { type ActionId } from "../pane/commands";
import { type Freshness } from "../pane/state";
import { type Backfill, type IndexStatus, type Message, type MissingRetriever, type ModelChoice, type NoteReport, type NoteState, type Problem, type ReportState, type StateCounts } from "../protocol/messages";
import { type Action, actionOf } from "./actions";
import { ageWords, dateAndTime, joinFacts, joinSentences, megabytes, noteCount, percent, plainList, seconds } from "./formatting";
import { number, say, t } from "./translate";

export function degradationWords({ retriever, reason }: MissingRetriever): string {
  return t(`freshness.${retriever}`, { reason: joinSentences(say(reason)) });
}

export interface FreshnessWords {
  readonly text: string;
  /** Null when no action helps. */
  readonly action: Action | null;
}

export function freshnessWords(freshness: Freshness): FreshnessWords {
  switch (freshness.kind) {
    case "off":
      return worded(t("freshness.off"), "restart");
    case "starting":
    case "listing":
    case "preparing":
      return worded(t(`freshness.${freshness.kind}`));
    case "trouble":
      return worded(t(`freshness.${freshness.engine}`));
    case "indexing":
      return worded(joinFacts(t("freshness.indexing", { done: freshness.done, count: freshness.total }), remaining(freshness.remainingMs)), "pause");
    case "loading-model":
      return worded(joinFacts(noteCount(freshness.notes), t("freshness.loading-model")));
    case "updating":
      return worded(t("freshness.updating", { count: freshness.pending }));
    case "paused":
      return worded(joinFacts(t("freshness.paused"), freshness.pending > 0 ? t("freshness.waiting", { count: freshness.pending }) : ""), "resume");
    case "index-failed":
      return worded(messageWords(freshness) ?? t("freshness.index-failed"), "open-settings");
    case "backfill":
      return worded(joinFacts(t("freshness.live"), noteCount(freshness.notes), backfilled(freshness.done, freshness.total), remaining(freshness.remainingMs), sentWords(freshness.sentTo)));
    case "live":
      return worded(joinFacts(t("freshness.live"), noteCount(freshness.notes), freshness.problems > 0 ? t("freshness.problems", { count: freshness.problems }) : "", sentWords(freshness.sentTo)));
  }
}

/** What a person should know of the index; null where there is nothing. */
export function messageWords({ message }: Pick<IndexStatus, "message">): string | null {
  return message && joinSentences(say(message));
}

/** Why the index is not backfilled by a model; null where it is. */
export function backfillWords({ model, message }: Backfill): string | null {
  return message === null ? null : joinSentences(t("status.model-missing", { model, detail: message }));
}

/** Where texts are sent, if they leave this machine. */
function sentWords(sentTo: string | null): string {
  return sentTo === null ? "" : t("freshness.sent-to", { origin: sentTo });
}

/** A model to choose, with what it is for and costs. */
export function modelWords({ name, languages, sizeBytes, isHere, remainingMs, doneChunks, totalChunks, gain }: ModelChoice): string {
  const size = sizeBytes === null ? "" : megabytes(sizeBytes);
  const isComplete = totalChunks > 0 && doneChunks === totalChunks;
  return joinFacts(
    name,
    languages === null ? "" : t(`model.${languages}`),
    isHere || size === "" ? size : t("model.download", { size }),
    isComplete ? t("model.complete") : remaining(remainingMs),
    gain === null || gain === 0 ? "" : t("model.gain", { gain: (gain > 0 ? "+" : "") + gain.toFixed(3) }),
  );
}

function worded(text: string, action: ActionId | null = null): FreshnessWords {
  return { text, action: action === null ? null : actionOf(action) };
}

function remaining(ms: number | null): string {
  if (ms === null) return "";
  return ms < 60_000 ? t("freshness.secondsLeft", { count: seconds(ms) }) : t("freshness.minutesLeft", { count: Math.ceil(ms / 60_000) });
}

/** Rounded down, so that it says 100 % only at the end. */
function backfilled(done: number, total: number): string {
  return t("freshness.backfilled", { percent: percent(Math.floor((100 * done) / total) / 100) });
}

export function statusSummary(chunks: number, excluded: number, sizeBytes: number): string {
  return joinFacts(t("count.passages", { count: chunks }), t("freshness.excluded", { count: excluded }), megabytes(sizeBytes));
}

export type Fact = readonly [label: string, value: string];

export const STATES: readonly NoteState[] = ["indexed", "partial", "hidden", "waiting", "excluded", "failed"];

export function stateName(state: ReportState): string {
  return t(`inspect.state.${state}`);
}

/** What is not simply found below a folder: `14 excluded · 1 failed`. */
export function exceptionWords(counts: StateCounts): string {
  const others = STATES.filter((state) => state !== "indexed" && counts[state] > 0);
  const vectors = counts.withoutVectors > 0 ? [t("inspect.withoutVectors", { count: counts.withoutVectors })] : [];
  return joinFacts(...others.map((state) => `${number(counts[state])} ${stateName(state)}`), ...vectors);
}

export function totalOf(counts: StateCounts): number {
  return STATES.reduce((sum, state) => sum + counts[state], 0);
}

export function reasonWords(reason: Message): string {
  return joinSentences(say(reason));
}

/** A problem in a list, with its note; without one, it is about the settings. */
export function problemWords({ path, reason, skipped }: Problem): string {
  return path === "" ? reasonWords(reason) : t(skipped ? "settings.skipped" : "settings.partly", { path, reason });
}

export function wayOutWords(way: WayOut): string {
  return way.kind === "include" ? t("inspect.include", { folder: way.folder }) : t(`inspect.way.${way.kind}`);
}

export function indexFacts(status: IndexStatus, engineVersion: string | null, nowMs: number): readonly Fact[] {
  const { backfill } = status;
  return known([
    [t("inspect.notes"), number(status.notes)],
    [t("inspect.passages"), number(status.chunks)],
    [t("inspect.size"), megabytes(status.sizeBytes)],
    [t("inspect.model"), joinFacts(status.model.name, backfill?.model ?? "")],
    [t("inspect.current"), status.indexedMs === null ? "" : ageWords(nowMs - status.indexedMs)],
    [t("inspect.built"), status.builtMs === null ? "" : dateAndTime(status.builtMs)],
    [t("inspect.engine"), engineVersion ?? ""],
  ]);
}

export interface ReportWords {
  readonly sentences: readonly string[];
  readonly facts: readonly Fact[];
}

export function reportWords({ state, reasons, indexed, modifiedMs }: NoteReport): ReportWords {
  const sentences = reasons.map(reasonWords);
  const facts: Fact[] = [[t("inspect.state"), state === "unknown" ? "" : stateName(state)]];
  if (modifiedMs !== null) facts.push([t("inspect.changed"), dateAndTime(modifiedMs)]);
  if (indexed) {
    const { redactions, skippedSections } = indexed;
    const blanked = Object.values(redactions).reduce((sum, count) => sum + count, 0);
    facts.push(
      [t("inspect.asOf"), indexed.modifiedMs === modifiedMs ? "" : dateAndTime(indexed.modifiedMs)],
      [t("inspect.passages"), number(indexed.chunks)],
      [t("inspect.words"), number(indexed.words)],
      [t("inspect.languages"), plainList(indexed.languages)],
      [t("inspect.skipped"), plainList(skippedSections)],
      [t("inspect.blanked"), blanked > 0 ? number(blanked) : ""],
      [t("inspect.vectors"), indexed.hasVectors ? "" : t("inspect.vectorsMissing")],
    );
  }
  return { sentences: sentences.length > 0 ? sentences : [t("inspect.found")], facts: known(facts) };
}

function known(facts: readonly Fact[]): readonly Fact[] {
  return facts.filter(([, value]) => value !== "");
}
