/** Splits a text at its marks into runs to draw one after the other. Pure. */
import { type Mark } from "../protocol/messages";

export interface TextRun {
  readonly text: string;
  /** Part of a query word. */
  readonly isWord: boolean;
  /** Part of the sentence that is nearest in meaning. */
  readonly isSentence: boolean;
}

/**
 * The runs of `text`, which concatenate to `text`. Marks may overlap, lie outside the text or be empty; a mark that would
 * split a surrogate pair is widened to cover it.
 */
export function textRuns(text: string, marks: readonly Mark[]): readonly TextRun[] {
  const spans = marks
    .map(({ kind, start, end }) => ({ kind, start: characterAt(text, start, -1), end: characterAt(text, end, 1) }))
    .filter(({ start, end }) => start < end);
  const cuts = [...new Set([0, text.length, ...spans.flatMap(({ start, end }) => [start, end])])].sort((a, b) => a - b);

  const isCovered = (from: number, to: number, kind: Mark["kind"]): boolean =>
    spans.some((span) => span.kind === kind && span.start <= from && to <= span.end);
  return cuts.slice(1).map((to, index) => {
    const from = cuts[index] ?? 0;
    return { text: text.slice(from, to), isWord: isCovered(from, to, "word"), isSentence: isCovered(from, to, "sentence") };
  });
}

/** `offset` within the text; one that would split a pair goes by `step`. */
function characterAt(text: string, offset: number, step: 1 | -1): number {
  const inside = Math.min(Math.max(0, offset), text.length);
  return isWithinPair(text, inside) ? inside + step : inside;
}

/** Whether `offset` is between the two code units of one character. */
function isWithinPair(text: string, offset: number): boolean {
  return offset > 0 && (text.codePointAt(offset - 1) ?? 0) > 0xffff;
}
