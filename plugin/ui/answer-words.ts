/** What is said about one answer: how much was found, what was corrected or given up, why a note is where it is. Pure. */
import { type Correction, type ExplainResult, type Fusion, type Relaxed } from "../protocol/messages";
import { type Answer } from "../search/session";
import { notes, number, sentences } from "./phrases";

/** `38 notes · 23 ms`, or `30 of 412 notes · 23 ms`. */
export function countWords({ hits, total, tookMs }: Answer): string {
  const shown = hits.length < total ? `${number(hits.length)} of ${notes(total)}` : notes(hits.length);
  return `${shown} · ${number(Math.max(1, Math.round(tookMs)))} ms`;
}

/** The query as it was understood, for who points at the count; empty where the engine does not say. */
export function understoodWords(understood: string): string {
  return understood === "" ? "" : sentences(`Looked for ${understood}`);
}

/** Empty where every word was taken as typed. */
export function correctionWords(corrections: readonly Correction[]): string {
  if (corrections.length === 0) return "";
  const used = corrections.map((correction) => correction.used).join(", ");
  const typed = corrections.map((correction) => correction.typed).join(", ");
  return `No note has ${typed}. Showing results for ${used}.`;
}

export function insistWords(corrections: readonly Correction[]): string {
  return `Search for ${corrections.map(({ typed }) => `"${typed}"`).join(" ")} instead`;
}

/** Empty where nothing was given up. Filters that let nothing through are named, as they are why. */
export function relaxedWords(relaxed: Relaxed | null, understood: string): string {
  if (!relaxed) return "";
  return sentences(relaxed.message, relaxed.step === "without-filters" && understood !== "" ? `You asked for ${understood}` : "");
}

export const FUSION_NAMES: Readonly<Record<Fusion, string>> = {
  convex: "By how much they speak for a note",
  rrf: "By their ranks alone",
};

// --- why a note is where it is --------------------------------------------------------------------

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
  /** What spoke for it, strongest first: `Nearness in meaning`, `42 %`. */
  readonly signals: readonly (readonly [name: string, share: string])[];
  readonly facts: readonly (readonly [label: string, value: string])[];
}

export function explainWords({ message, understood, breakdown, signals, wordsFound, wordsLacking }: ExplainResult): ExplainWords {
  const telling = signals.filter(({ share }) => share > 0);
  const sum = telling.reduce((total, { share }) => total + share, 0);
  const rank = (place: number | null): string => (place === null ? "" : `Rank ${number(place)}`);
  const facts: readonly (readonly [string, string])[] = [
    ["Looked for", understood],
    ["By words", rank(breakdown?.lexicalRank ?? null)],
    ["By meaning", rank(breakdown?.denseRank ?? null)],
    ["It holds", wordsFound.join(", ")],
    ["It lacks", wordsLacking.join(", ")],
  ];
  return {
    message: sentences(message),
    signals: telling.map(({ name, share }) => [SIGNALS[name] ?? name, `${number(Math.round((100 * share) / sum))} %`]),
    facts: facts.filter(([, value]) => value !== ""),
  };
}
