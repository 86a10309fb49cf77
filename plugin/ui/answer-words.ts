/** Sentences about one answer: counts, corrections, relaxations, and why a note ranks where it does. Pure. */
import { type Correction, type ExplainResult, type Fusion, type Relaxed } from "../protocol/messages";
import { type Answer } from "../search/session";
import { joinSentences, noteCount, number } from "./formatting";

/** `38 notes · 23 ms`, or `30 of 412 notes · 23 ms`. */
export function countWords({ hits, total, tookMs }: Answer): string {
  const shown = hits.length < total ? `${number(hits.length)} of ${noteCount(total)}` : noteCount(hits.length);
  return `${shown} · ${number(Math.max(1, Math.round(tookMs)))} ms`;
}

/** How the engine understood the query; empty when it does not say. Shown as the tooltip of the count. */
export function understoodWords(understood: string): string {
  return understood === "" ? "" : joinSentences(`Looked for ${understood}`);
}

/** Empty when no word was corrected. */
export function correctionWords(corrections: readonly Correction[]): string {
  if (corrections.length === 0) return "";
  const used = corrections.map((correction) => correction.used).join(", ");
  const typed = corrections.map((correction) => correction.typed).join(", ");
  return `No note has ${typed}. Showing results for ${used}.`;
}

export function searchAsTypedWords(corrections: readonly Correction[]): string {
  return `Search for ${corrections.map(({ typed }) => `"${typed}"`).join(" ")} instead`;
}

/** Empty when the query was not relaxed. Names the query when its filters matched nothing. */
export function relaxedWords(relaxed: Relaxed | null, understood: string): string {
  if (!relaxed) return "";
  return joinSentences(relaxed.message, relaxed.step === "without-filters" && understood !== "" ? `You asked for ${understood}` : "");
}

export const FUSION_NAMES: Readonly<Record<Fusion, string>> = {
  convex: "By how much they speak for a note",
  rrf: "By their ranks alone",
};

// --- explanation of one note ----------------------------------------------------------------------

const SIGNALS: Readonly<Record<string, string>> = {
  passage: "Words in its best passage",
  note: "Words in the whole note",
  phrase: "Words side by side",
  meaning: "Nearness in meaning",
  title: "Words in its title",
  exact: "The search is its title",
};

export interface ExplainWords {
  readonly message: string;
  /** The ranking signals, strongest first: `Nearness in meaning`, `42 %`. */
  readonly signals: readonly (readonly [name: string, share: string])[];
  readonly facts: readonly (readonly [label: string, value: string])[];
}

export function explainWords({ message, understood, breakdown, signals, wordsFound, wordsLacking }: ExplainResult): ExplainWords {
  const contributing = signals.filter(({ share }) => share > 0);
  const sum = contributing.reduce((total, { share }) => total + share, 0);
  const rank = (place: number | null): string => (place === null ? "" : `Rank ${number(place)}`);
  const facts: readonly (readonly [string, string])[] = [
    ["Looked for", understood],
    ["By words", rank(breakdown?.lexicalRank ?? null)],
    ["By meaning", rank(breakdown?.denseRank ?? null)],
    ["It holds", wordsFound.join(", ")],
    ["It lacks", wordsLacking.join(", ")],
  ];
  return {
    message: joinSentences(message),
    signals: contributing.map(({ name, share }) => [SIGNALS[name] ?? name, `${number(Math.round((100 * share) / sum))} %`]),
    facts: facts.filter(([, value]) => value !== ""),
  };
}
