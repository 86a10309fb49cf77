/** What is said of one answer: counts, corrections, relaxations? Pure. */
import { type Correction, type Relaxed } from "../protocol/messages";
import { type Answer } from "../search/answer";
import { joinFacts, joinSentences, noteCount, quotedList } from "./formatting";
import { messageWords } from "./messages";
import { currentLanguage, t } from "./translate";

/** `38 notes · 23 ms`, or `30 of 412 notes · 23 ms`. */
export function countWords({ hits, total, tookMs }: Answer): string {
  const shown = hits.length < total ? t("answer.count", { shown: hits.length, count: total }) : noteCount(hits.length);
  return joinFacts(shown, t("answer.took", { ms: Math.max(1, Math.round(tookMs)) }));
}

/** How the engine understood the query, which it says in English; empty where that is not spoken. The tooltip of the count. */
export function understoodWords(understood: string): string {
  return understood === "" || !speaksEnglish() ? "" : joinSentences(t("answer.understood", { understood }));
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

/** Empty when the query was not relaxed. Names the query when its filters matched nothing. */
export function relaxedWords(relaxed: Relaxed | null, understood: string): string {
  if (!relaxed) return "";
  return joinSentences(messageWords(relaxed.told, relaxed.message), relaxed.step === "without-filters" && understood !== "" && speaksEnglish() ? t("answer.asked", { understood }) : "");
}

/** Empty when the answer is not weak, and when a relaxation says so already. */
export function weaknessWords({ weakness, relaxed }: Pick<Answer, "weakness" | "relaxed">): string {
  return weakness === null || relaxed !== null ? "" : t(`answer.${weakness}`);
}

/** What was dropped, replaced or not found, as sentences; empty when the query was searched for as it stands. */
export function remarkOn(answer: Answer): string {
  const { corrections, unknownWords, relaxed, understood } = answer;
  return joinSentences(relaxedWords(relaxed, understood), weaknessWords(answer), correctionWords(corrections), unknownWordsLine(unknownWords));
}

function speaksEnglish(): boolean {
  return currentLanguage().startsWith("en");
}
