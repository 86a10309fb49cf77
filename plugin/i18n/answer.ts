/** What is said of one answer: counts, corrections, relaxations? Pure. */
import { type Correction, type Relaxed } from "../protocol/messages";
import { type Answer } from "../search/answer";
import { lastWordIsUnknown } from "../search/spelling";
import { joinFacts, joinSentences, noteCount, quotedList } from "./formatting";
import { toldWords } from "./told";
import { t } from "./translate";
import { understoodNotes } from "./understood";

/** `38 notes · 23 ms`, however many of them are loaded; `30 of 412 notes · 23 ms` where no more can be. */
export function countWords({ hits, total, reachable, tookMs }: Answer): string {
  const shown = hits.length < total && hits.length >= reachable ? t("answer.count", { shown: hits.length, count: total }) : noteCount(total);
  return joinFacts(shown, t("answer.took", { ms: Math.max(1, Math.round(tookMs)) }));
}

/** How the engine understood the query; empty when it does not say. Shown as the tooltip of the count. */
export function understoodWords({ understood, understoodTold }: Pick<Answer, "understood" | "understoodTold">): string {
  const notes = understoodNotes(understoodTold, understood);
  return notes === "" ? "" : joinSentences(t("answer.understood", { understood: notes }));
}

/** Empty when no word was corrected. */
export function correctionWords(corrections: readonly Correction[]): string {
  if (corrections.length === 0) return "";
  const typed = quotedList(corrections.map((correction) => correction.typed), "disjunction");
  const used = quotedList(corrections.map((correction) => correction.used), "conjunction");
  return t("answer.corrected", { typed, used });
}

/** Empty when every word of the query is in some note, was corrected, or no note contains any. */
export function unknownWordsLine(words: readonly string[]): string {
  return words.length === 0 ? "" : t("answer.unknown", { words: quotedList(words, "disjunction") });
}

/** Empty when the query was not relaxed. */
export function relaxedWords(relaxed: Relaxed | null): string {
  return relaxed ? toldWords([relaxed.told], relaxed.message) : "";
}

/** Empty when the answer is not weak, when a relaxation says so already, and while its last word is being typed. */
function weaknessWords(answer: Answer): string {
  const { weakness, relaxed, lastWordIsPrefix } = answer;
  const isCorrectedNext = lastWordIsPrefix && lastWordIsUnknown(answer);
  if (weakness === null || relaxed !== null || isCorrectedNext) return "";
  const isFiltered = answer.clauses.some(({ kind }) => kind !== "phrase");
  return weakness === "no-words" && isFiltered ? t("answer.no-words-filtered") : t(`answer.${weakness}`);
}

/** What was dropped, replaced or not found, as sentences; empty when the query was searched for as it stands. */
export function remarkOn(answer: Answer): string {
  const { corrections, unknownWords, relaxed } = answer;
  return joinSentences(relaxedWords(relaxed), weaknessWords(answer), correctionWords(corrections), unknownWordsLine(unknownWords));
}
