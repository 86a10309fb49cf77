/** How is it said why a note ranks where it does? Pure. */
import { type ExplainResult } from "../protocol/messages";
import { joinSentences, number } from "./formatting";

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
    ["Words", heldWords(wordsFound, wordsLacking)],
  ];
  return {
    message: joinSentences(message),
    signals: contributing.map(({ name, share }) => [SIGNALS[name] ?? name, `${number(Math.round((100 * share) / sum))}%`]),
    facts: facts.filter(([, value]) => value !== ""),
  };
}

/** `1 of 2: glue · missing: cloth`; empty where the query has no words. */
function heldWords(found: readonly string[], lacking: readonly string[]): string {
  const count = found.length + lacking.length;
  if (count === 0) return "";
  const held = `${number(found.length)} of ${number(count)}${found.length > 0 ? `: ${found.join(", ")}` : ""}`;
  return lacking.length === 0 ? held : `${held} · missing: ${lacking.join(", ")}`;
}
