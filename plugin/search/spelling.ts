/**
 * Whether a typed query needs spelling correction, and how to search without it. Pure.
 *
 * While a query is typed, the engine reads its last word as a prefix and never corrects it. Asking again for a whole word
 * can only help when the prefix matched nothing, which the answer shows: no highlighted word and no word of a heading
 * begins with it. (Words of headings are not highlighted, because snippets leave headings out.)
 */
import { type Correction, type Hit, type Mark } from "../protocol/messages";

// The engine corrects words of letters only, of four or more. A value after an operator is not a word to it.
const LAST_WORD = /(?:^|[\s(])(\p{L}{4,})$/u;
const BEGUN_WORD = /(?:^|[\s(])(\p{L}{3,})$/u; // fewer letters are compared with names alone
const NO_LETTERS = /[^\p{L}\p{M}]+/u;

/** Whether no word that `hits` were found by begins with the last word of `query`. */
export function lastWordIsUnknown({ query, hits }: { readonly query: string; readonly hits: readonly Hit[] }): boolean {
  const word = LAST_WORD.exec(query)?.[1];
  if (word === undefined) return false;
  const prefix = foldCase(word);
  return !hits.some((hit) => matchedWords(hit).some((matched) => foldCase(matched).startsWith(prefix)));
}

/** Whether the last word of `query` may still be going on: no word that `hits` were found by is that word. */
export function lastWordIsUnfinished({ query, hits }: { readonly query: string; readonly hits: readonly Hit[] }): boolean {
  const word = BEGUN_WORD.exec(query)?.[1];
  return word !== undefined && !hits.some((hit) => matchedWords(hit).some((matched) => foldCase(matched) === foldCase(word)));
}

/**
 * `query` with every corrected word in quotes, which the engine never corrects. Null when each of them is in quotes
 * already.
 */
export function quotedAsTyped(query: string, corrections: readonly Correction[]): string | null {
  const typed = new Set(corrections.map((correction) => correction.typed.toLowerCase()));
  // The first alternative consumes quoted phrases, so nothing inside them changes; an unclosed quote runs to the end.
  const quoted = query.replace(/"[^"]*"?|[\p{L}\p{N}\p{M}_]+/gu, (piece) => (typed.has(piece.toLowerCase()) ? `"${piece}"` : piece));
  return quoted === query ? null : quoted;
}

/** The highlighted words of a hit and all words of its headings. */
function matchedWords({ title, titleMarks, passages }: Hit): readonly string[] {
  const inPassages = passages.flatMap(({ snippet, marks, headingPath }) => [
    ...markedTexts(snippet, marks),
    ...headingPath.flatMap((heading) => heading.split(NO_LETTERS)),
  ]);
  return [...markedTexts(title, titleMarks), ...inPassages];
}

function markedTexts(text: string, marks: readonly Mark[]): readonly string[] {
  return marks.filter(({ kind }) => kind === "word").map(({ start, end }) => text.slice(start, end));
}

/** Without case and accents, as the index compares words. */
function foldCase(word: string): string {
  return word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
