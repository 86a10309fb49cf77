/**
 * Where in a note, as it reads now, is the passage that a search found a moment ago? Pure.
 *
 * The sidecar's offsets are exact for the text it indexed. A note that was edited since has moved under them, so the
 * marked words are looked up again: at the offset first, then as near to it as possible.
 */
import { type Passage } from "../protocol/messages";

/** UTF-16 code units into the note as the editor shows it, `[start, end)`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const CONTEXT_CHARS = 24; // enough to tell two places with the same word apart, short enough to survive an edit nearby

/** The note as an editor shows it: no byte order mark, every line end one character. */
export function asEditorText(raw: string): string {
  return raw.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
}

/** The place to jump to; the passage's own offsets, cut to the text, when none of its words are left. */
export function locate(text: string, passage: Passage): Span {
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
    const found = nearest(text, lead, words, tail, stated.start);
    if (found) return found;
  }
  return stated;
}

/** The line, from 0, on which `offset` stands. */
export function lineAt(text: string, offset: number): number {
  let line = 0;
  for (let end = text.indexOf("\n"); end >= 0 && end < offset; end = text.indexOf("\n", end + 1)) line += 1;
  return line;
}

/** Snippets fold white space, so any run of it matches any other. */
function nearest(text: string, lead: string, words: string, tail: string, wanted: number): Span | null {
  const pattern = new RegExp(`(${flexible(lead)})(${flexible(words)})${flexible(tail)}`, "gu");
  let best: Span | null = null;
  for (const match of text.matchAll(pattern)) {
    const start = match.index + (match[1]?.length ?? 0);
    if (best && Math.abs(best.start - wanted) <= Math.abs(start - wanted)) continue;
    best = { start, end: start + (match[2]?.length ?? 0) };
  }
  return best;
}

function flexible(text: string): string {
  return text
    .split(/\s+/u)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"))
    .join("\\s+");
}

function clamp({ start, end }: Span, length: number): Span {
  const from = Math.min(Math.max(0, start), length);
  return { start: from, end: Math.min(Math.max(from, end), length) };
}
