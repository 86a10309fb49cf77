/**
 * Locates a passage in the current text of its note. Pure.
 *
 * The sidecar's offsets are exact for the text it indexed. If the note was edited since, they are off: the marked words
 * are looked up again, first at the stated offset, then as close to it as possible.
 */
import { type Passage } from "../protocol/messages";

/** A range `[start, end)` in the text of the editor, in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const CONTEXT_CHARS = 24; // distinguishes two occurrences of a word, yet survives an edit nearby

/** The text of a note as in an editor: no byte order mark, every line break one character. */
export function toEditorText(raw: string): string {
  return raw.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
}

/** Where to jump to in `text`; the passage's own offsets, clamped, when none of its marked words are left. */
export function locatePassage(text: string, passage: Passage): Span {
  const stated = clamp({ start: passage.matchStart, end: passage.matchEnd }, text.length);
  const [mark] = passage.marks;
  const marked = mark ? passage.snippet.slice(mark.start, mark.end) : "";
  if (!mark || marked === "" || text.slice(stated.start, stated.end) === marked) return stated;

  const before = passage.snippet.slice(Math.max(0, mark.start - CONTEXT_CHARS), mark.start);
  const after = passage.snippet.slice(mark.end, mark.end + CONTEXT_CHARS);
  const attempts: readonly (readonly [string, string, string])[] = [
    [before, marked, after],
    [before, marked, ""],
    ["", marked, after],
    ["", marked, ""],
  ];
  for (const [lead, words, tail] of attempts) {
    const found = nearestOccurrence(text, lead, words, tail, stated.start);
    if (found) return found;
  }
  return stated;
}

/**
 * Every marked word or sentence of the passage in `text`, in order and without overlaps; the one that is jumped to where no
 * other is left. Each is looked up where the one before it leads to expect it.
 */
export function locateMarks(text: string, passage: Passage): readonly Span[] {
  const [first] = passage.marks;
  const jump = locatePassage(text, passage);
  if (!first) return [jump];
  let shift = jump.start - first.start;
  const found: Span[] = [];
  for (const mark of passage.marks) {
    const expected = mark.start + shift;
    const wanted: Passage = { ...passage, marks: [mark], matchStart: expected, matchEnd: mark.end + shift };
    const span = mark === first ? jump : locatePassage(text, wanted);
    const words = passage.snippet.slice(mark.start, mark.end);
    if (folded(text.slice(span.start, span.end)) !== folded(words)) continue;
    shift = span.start - mark.start;
    if (span.start >= (found.at(-1)?.end ?? 0)) found.push(span);
  }
  return found.length > 0 ? found : [jump];
}

/** The zero-based line of `offset`. */
export function lineAt(text: string, offset: number): number {
  let line = 0;
  for (let end = text.indexOf("\n"); end >= 0 && end < offset; end = text.indexOf("\n", end + 1)) line += 1;
  return line;
}

/** The occurrence of `words` between `lead` and `tail` that is closest to `wanted`. Snippets collapse white space, so any
 * run of it matches any other. */
function nearestOccurrence(text: string, lead: string, words: string, tail: string, wanted: number): Span | null {
  // A pattern that began with white space would be tried at each place of a long run of it.
  const pattern = new RegExp(`(${spacesPattern(lead.trimStart())})(${spacesPattern(words)})${spacesPattern(tail.trimEnd())}`, "gu");
  let best: Span | null = null;
  for (const match of text.matchAll(pattern)) {
    const start = match.index + (match[1]?.length ?? 0);
    if (best && Math.abs(best.start - wanted) <= Math.abs(start - wanted)) continue;
    best = { start, end: start + (match[2]?.length ?? 0) };
  }
  return best;
}

function spacesPattern(text: string): string {
  return text.split(/\s+/u).map(escaped).join("\\s+");
}

/** `text` as a part of a regular expression. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/** On one line, with single spaces. */
export function folded(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

function clamp({ start, end }: Span, length: number): Span {
  const from = Math.min(Math.max(0, start), length);
  return { start: from, end: Math.min(Math.max(from, end), length) };
}
