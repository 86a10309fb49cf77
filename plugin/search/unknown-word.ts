/**
 * Is the last word of a query one that no note seems to have? Pure.
 *
 * While a query is typed, the engine takes its last word for the beginning of one, and never for a slip of the finger.
 * Asking again when the typing rests can only matter where the word began nothing. That is seen without asking: no mark
 * begins with it. A wrong guess costs one question whose answer is the same.
 */
import { type Hit, type Mark } from "../protocol/messages";

// The engine corrects words of letters alone, from four on. What stands behind an operator is no word to it.
const LAST_WORD = /(?:^|[\s(])(\p{L}{4,})$/u;

export function lastWordIsUnknown({ query, hits }: { readonly query: string; readonly hits: readonly Hit[] }): boolean {
  const word = LAST_WORD.exec(query)?.[1];
  if (word === undefined) return false;
  const beginning = folded(word);
  return !hits.some((hit) => markedWords(hit).some((marked) => folded(marked).startsWith(beginning)));
}

function markedWords({ title, titleMarks, passages }: Hit): readonly string[] {
  return [...cutOut(title, titleMarks), ...passages.flatMap(({ snippet, marks }) => cutOut(snippet, marks))];
}

function cutOut(text: string, marks: readonly Mark[]): readonly string[] {
  return marks.filter(({ kind }) => kind === "word").map(({ start, end }) => text.slice(start, end));
}

/** Without case and accents, as the index compares. */
function folded(word: string): string {
  return word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
