/** What is said of the notes in the index, and of one that is not found? Pure. */
import { type WayOut } from "../inspector/ways-out";
import { type IndexStatus, type NoteReport, type NoteState, type Problem, type Reason, type ReportState, type StateCounts } from "../protocol/messages";
import { ageWords, dateAndTime, joinFacts, joinSentences, megabytes, plainList } from "./formatting";
import { wordsByCode } from "./told";
import { number, t } from "./translate";

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

/** In the user's language where the code is known and says all; else as the engine said it. */
export function reasonWords({ code, message, entry, plugin }: Reason): string {
  const args = { entry: entry ?? "", plugin: plugin ?? "" };
  const key = entry === null && code === "status" ? "any-status" : code;
  return wordsByCode(`inspect.reason.${key}`, args) ?? joinSentences(message);
}

/** A problem in a list: with its note, or with what the engine says of the settings, which names the line or the key. */
export function problemWords({ path, reason, code, skipped }: Problem): string {
  const why = wordsByCode(`inspect.reason.${code}`) ?? reason;
  return path === "" ? joinSentences(why, why === reason ? "" : reason) : t(skipped ? "settings.skipped" : "settings.partly", { path, reason: why });
}

export function wayOutWords(way: WayOut): string {
  return way.kind === "include" ? t("inspect.include", { folder: way.folder }) : t(`inspect.way.${way.kind}`);
}

export function indexFacts(status: IndexStatus, engineVersion: string | null, nowMs: number): readonly Fact[] {
  const { deepening } = status;
  return known([
    [t("inspect.notes"), number(status.notes)],
    [t("inspect.passages"), number(status.chunks)],
    [t("inspect.size"), megabytes(status.sizeBytes)],
    [t("inspect.model"), joinFacts(status.model.name, deepening?.model ?? "")],
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
