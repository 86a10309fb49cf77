/** Sentences about one answer: counts, corrections, relaxations, and why a note ranks where it does. Pure. */
import { type Correction, type ExplainResult, type Fusion, type Relaxed, type SearchResult, type Stemming } from "../protocol/messages";
import { type Answer } from "../search/session";
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

export function searchAsTypedWords(corrections: readonly Correction[]): string {
  return `Search for ${corrections.map(({ typed }) => `“${typed}”`).join(" ")} instead`;
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
  "no-words": "No note contains these words. These are the nearest in meaning.",
  unlikely: "No note matches well. These are the closest.",
};

/** Empty when the answer is not weak, and when a relaxation says so already. */
export function weaknessWords({ weakness, relaxed }: Pick<Answer, "weakness" | "relaxed">): string {
  return weakness === null || relaxed !== null ? "" : WEAKNESSES[weakness];
}

export const FUSION_NAMES: Readonly<Record<Fusion, string>> = {
  convex: "Weighted sum of scores",
  rrf: "Reciprocal rank fusion",
  "six-signals": "Six signals",
};

export const STEMMING_NAMES: Readonly<Record<Stemming, string>> = {
  "by-language": "Forms of the word, by language",
  none: "Only the word itself",
};

// --- explanation of one note ----------------------------------------------------------------------

const SIGNALS: Readonly<Record<string, string>> = {
  passage: "Words in the best passage",
  note: "Words in the whole note",
  phrase: "Words next to each other",
  meaning: "Similarity in meaning",
  wording: "Similarity to single words",
  title: "Words in the title",
  exact: "Query equals the title",
  words: "Words it shares with the query",
  vector: "Similarity in meaning",
  severity: "Severity",
  recency: "Age",
  tags: "Tags",
  domain: "Domain",
};

export interface ExplainWords {
  readonly message: string;
  /** The ranking signals, strongest first: `Similarity in meaning`, `42%`. */
  readonly signals: readonly (readonly [name: string, share: string])[];
  readonly facts: readonly (readonly [label: string, value: string])[];
}

export function explainWords({ message, understood, breakdown, signals, wordsFound, wordsLacking }: ExplainResult): ExplainWords {
  const contributing = signals.filter(({ share }) => share > 0);
  const sum = contributing.reduce((total, { share }) => total + share, 0);
  const rank = (place: number | null): string => (place === null ? "" : number(place));
  const facts: readonly (readonly [string, string])[] = [
    ["Searched for", understood],
    ["Rank by words", rank(breakdown?.lexicalRank ?? null)],
    ["Rank by meaning", rank(breakdown?.denseRank ?? null)],
    ["Words found", wordsFound.join(", ")],
    ["Words missing", wordsLacking.join(", ")],
  ];
  return {
    message: joinSentences(message),
    signals: contributing.map(({ name, share }) => [SIGNALS[name] ?? name, `${number(Math.round((100 * share) / sum))}%`]),
    facts: facts.filter(([, value]) => value !== ""),
  };
}
