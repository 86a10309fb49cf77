/** What is said of one answer: counts, corrections, relaxations, and why a note ranks where it does. Pure. */
import { type Correction, type ExplainResult } from "../protocol/messages";
import { isOneWord } from "../pane/rows";
import { type Answer, needsNoWord } from "../search/answer";
import { lastWordIsUnknown } from "../search/spelling";
import { joinFacts, joinSentences, noteCount, percent, plainList } from "./formatting";
import { number, say, t, translated } from "./translate";

/** How many notes contain the words, however many are loaded; empty where none has all of them, and where no words are counted. */
export function countWords(answer: Answer): string {
  const { mode, total, reachable } = answer;
  if (total === 0 || mode === "semantic" || needsNoWord(answer)) return "";
  return reachable > total && !isOneWord(answer) ? t("count.withAllWords", { count: total }) : noteCount(total); // among the rows are others
}

/** How the query was understood, and how long the answer took. */
export function answerTip(answer: Answer): string {
  return joinFacts(understoodWords(answer), t("answer.took", { ms: Math.max(1, Math.round(answer.tookMs)) }));
}

/** How the engine understood the query; empty when it does not say. Shown as the tooltip of the count. */
export function understoodWords({ understood, byNames }: Pick<Answer, "understood" | "byNames">): string {
  return byNames ? "" : joinSentences(t("answer.understood", { understood }));
}

/** Empty when no word was corrected. */
export function correctionWords(corrections: readonly Correction[]): string {
  const words = (code: "answer.corrected" | "answer.corrected-beside", meant: readonly Correction[]): string =>
    meant.length === 0 ? "" : t(code, { typed: meant.map(({ typed }) => typed), used: meant.map(({ used }) => used) });
  return joinSentences(words("answer.corrected", corrections.filter(({ isBeside }) => !isBeside)), words("answer.corrected-beside", corrections.filter(({ isBeside }) => isBeside)));
}

/** Empty when the answer is not weak, when a relaxation says so already, and while its last word is being typed. */
export function weaknessWords(answer: Answer): string {
  const { weakness, relaxed, lastWordIsPrefix } = answer;
  const isCorrectedNext = lastWordIsPrefix && lastWordIsUnknown(answer);
  if (weakness === null || relaxed !== null || isCorrectedNext) return "";
  const excluded = answer.clauses.filter(({ kind }) => kind === "word").map(({ value }) => `-${value}`);
  if (excluded.length > 0) return t("answer.excluded", { words: excluded });
  return weakness === "no-words" ? noWordsWords(answer) : t(`answer.${weakness}`);
}

/** Of all notes, or of those that the filters leave. */
export function noWordsWords({ clauses }: Pick<Answer, "clauses">): string {
  return t(clauses.some(({ kind }) => kind !== "phrase") ? "answer.no-words-filtered" : "answer.no-words");
}

/** Of a query none of whose words is in a note, while its last word is being typed. */
export function unmatchedWords(answer: Answer): string {
  return /\s/u.test(answer.query) ? noWordsWords(answer) : t("answer.unknown", { words: [answer.query] });
}

/** What was replaced, dropped or not found, the most important alone; empty when the query was searched for as it stands. */
export function remarkOn(answer: Answer): string {
  const { corrections, unknownWords, relaxed } = answer;
  const unknown = unknownWords.length === 0 || needsNoWord(answer) ? "" : joinSentences(t("answer.unknown", { words: unknownWords }));
  const messages = relaxed?.messages.filter(({ code }) => code !== "relaxed.meaning") ?? []; // the heading of the rows says that
  return correctionWords(corrections) || joinSentences(...messages.map(say)) || unknown || weaknessWords(answer);
}

/** Which tiers did not answer, and what to do; empty where all did. */
export function absentWords({ absent = [] }: Pick<Answer, "absent">): string {
  return joinSentences(...absent.map(({ message }) => say(message)));
}

export interface ExplainWords {
  readonly message: string;
  /** The ranking signals, strongest first, with the share of each: 0 to 1, and as it is written. */
  readonly signals: readonly (readonly [name: string, share: number, percent: string])[];
  readonly facts: readonly (readonly [label: string, value: string])[];
}

export function explainWords({ messages, understood, breakdown, signals, wordsFound, wordsLacking }: ExplainResult): ExplainWords {
  const contributing = signals.filter(({ share }) => share > 0);
  const sum = contributing.reduce((total, { share }) => total + share, 0);
  const rank = (place: number | null): string => (place === null ? "" : number(place));
  const facts: readonly (readonly [string, string])[] = [
    [t("explain.understood"), understood ? say(understood) : ""],
    [t("explain.rankByWords"), rank(breakdown?.keywordRank ?? null)],
    [t("explain.rankByMeaning"), rank(breakdown?.denseRank ?? null)],
    [t("explain.words"), heldWords(wordsFound, wordsLacking)],
  ];
  return {
    message: joinSentences(...messages.map(say)),
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
