/** What is said of one answer: counts, corrections, relaxations? Pure. */
import { type Correction, type Relaxed, type SearchResult } from "../protocol/messages";
import { type Answer } from "../search/answer";
import { joinSentences, noteCount, number } from "./formatting";

type Weakness = NonNullable<SearchResult["weakness"]>;

/** `38 notes · 23 ms`, or `30 of 412 notes · 23 ms`. */
export function countWords({ hits, total, tookMs }: Answer): string {
  const shown = hits.length < total ? `${number(hits.length)} of ${noteCount(total)}` : noteCount(hits.length);
  return `${shown} · ${number(Math.max(1, Math.round(tookMs)))} ms`;
}

/** How the engine understood the query; empty when it does not say. Shown as the tooltip of the count. */
export function understoodWords(understood: string): string {
  return understood === "" ? "" : joinSentences(`Searched for ${understood}`);
}

/** Empty when no word was corrected. */
export function correctionWords(corrections: readonly Correction[]): string {
  if (corrections.length === 0) return "";
  const typed = corrections.map((correction) => `“${correction.typed}”`).join(" or ");
  const used = corrections.map((correction) => `“${correction.used}”`).join(" and ");
  return `No notes contain ${typed}. Showing results for ${used}.`;
}

/** Empty when every word of the query is in some note, was corrected, or no note contains any. */
export function unknownWordsLine(words: readonly string[]): string {
  return words.length === 0 ? "" : `No note contains ${words.map((word) => `“${word}”`).join(" or ")}.`;
}

/** Empty when the query was not relaxed. Names the query when its filters matched nothing. */
export function relaxedWords(relaxed: Relaxed | null, understood: string): string {
  if (!relaxed) return "";
  return joinSentences(relaxed.message, relaxed.step === "without-filters" && understood !== "" ? `You asked for ${understood}` : "");
}

const WEAKNESSES: Readonly<Record<Weakness, string>> = {
  "no-words": "No note contains these words.",
  unlikely: "No note matches well.",
};

/** Empty when the answer is not weak, and when a relaxation says so already. */
export function weaknessWords({ weakness, relaxed }: Pick<Answer, "weakness" | "relaxed">): string {
  return weakness === null || relaxed !== null ? "" : WEAKNESSES[weakness];
}

/** What was dropped, replaced or not found, as sentences; empty when the query was searched for as it stands. */
export function remarkOn(answer: Answer): string {
  const { corrections, unknownWords, relaxed, understood } = answer;
  const lines = [relaxedWords(relaxed, understood), weaknessWords(answer), correctionWords(corrections), unknownWordsLine(unknownWords)];
  return lines.filter((line) => line !== "").join(" ");
}
