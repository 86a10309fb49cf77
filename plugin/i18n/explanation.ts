/** How is it said why a note ranks where it does? Pure. */
import { type ExplainResult } from "../protocol/messages";
import { joinFacts, percent, plainList } from "./formatting";
import { toldWords } from "./told";
import { number, t, translated } from "./translate";
import { understoodNotes } from "./understood";

export interface ExplainWords {
  readonly message: string;
  /** The ranking signals, strongest first, with the share of each: 0 to 1, and as it is written. */
  readonly signals: readonly (readonly [name: string, share: number, percent: string])[];
  readonly facts: readonly (readonly [label: string, value: string])[];
}

export function explainWords({ message, told, understood, understoodTold, breakdown, signals, wordsFound, wordsLacking }: ExplainResult): ExplainWords {
  const contributing = signals.filter(({ share }) => share > 0);
  const sum = contributing.reduce((total, { share }) => total + share, 0);
  const rank = (place: number | null): string => (place === null ? "" : number(place));
  const facts: readonly (readonly [string, string])[] = [
    [t("explain.understood"), understoodNotes(understoodTold, understood)],
    [t("explain.rankByWords"), rank(breakdown?.keywordRank ?? null)],
    [t("explain.rankByMeaning"), rank(breakdown?.denseRank ?? null)],
    [t("explain.words"), heldWords(wordsFound, wordsLacking)],
  ];
  return {
    message: toldWords(told, message),
    signals: contributing.map(({ name, share }) => [translated(`signal.${name}`) ?? name, share / sum, percent(share / sum)]),
    facts: facts.filter(([, value]) => value !== ""),
  };
}

/** `1 of 2: glue · missing: cloth`; empty where the query has no words. */
function heldWords(found: readonly string[], lacking: readonly string[]): string {
  const counts = { found: found.length, all: found.length + lacking.length };
  if (counts.all === 0) return "";
  const held = found.length === 0 ? t("explain.held", counts) : t("explain.heldWords", { ...counts, words: plainList(found) });
  return joinFacts(held, lacking.length === 0 ? "" : t("row.missing", { words: plainList(lacking) }));
}
