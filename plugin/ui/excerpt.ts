/**
 * Which part of a snippet goes into two narrow lines, so that what is marked is among what is seen? Pure.
 *
 * The sidecar's snippet is an exact slice of the note: it may begin with its heading, which stands above it anyway, with
 * the end of a sentence or with Markdown's own signs, and its mark may stand where a narrow pane has no room left.
 */
import { type Mark, type Passage } from "../protocol/messages";

export interface Excerpt {
  readonly text: string;
  /** Into `text`, UTF-16 code units. */
  readonly marks: readonly Mark[];
}

const LEAD_CHARS = 40; // in front of the first mark: about one line of a 300 px pane
const ELLIPSIS = "… ";
// What no sentence begins with: the end of the one before, the signs of headings, lists, quotes and tables.
const PREAMBLE = /^(?:\s+|[.,;:!?…·)\]}|–—]+\s+|#{1,6}\s+|[-*+>]\s+|\[[ x]\]\s+)+/u;

export function excerptOf({ snippet, marks, headingPath }: Pick<Passage, "snippet" | "marks" | "headingPath">): Excerpt {
  const start = skipPreamble(snippet, headingEnd(snippet, headingPath.at(-1), marks));
  const shown = marks.filter(({ end }) => end > start).map((mark) => withoutSigns(snippet, mark));
  const first = Math.max(start, Math.min(...shown.map((mark) => mark.start)));
  const isFar = shown.length > 0 && first - start > LEAD_CHARS;
  return isFar ? cut(snippet, shown, leadStart(snippet, first - LEAD_CHARS, first), ELLIPSIS) : cut(snippet, shown, start, "");
}

/** Where the snippet goes on behind its own heading; 0 where it does not begin with it, or nothing else is marked. */
function headingEnd(snippet: string, heading: string | undefined, marks: readonly Mark[]): number {
  const [line = ""] = /^[^\n]*\n/u.exec(snippet) ?? [];
  const isHeading = line !== "" && line.replace(/^#{1,6}\s+/u, "").trim() === heading;
  return isHeading && marks.some(({ start }) => start >= line.length) ? line.length : 0;
}

/** The first place from `from` on that is worth beginning with; `from` itself where there is no other. */
function skipPreamble(text: string, from: number): number {
  const length = PREAMBLE.exec(text.slice(from))?.[0].length ?? 0;
  return from + length < text.length ? from + length : from;
}

/** A sentence that is an item of a list is marked without the item's sign. */
function withoutSigns(text: string, mark: Mark): Mark {
  return mark.kind === "sentence" ? { ...mark, start: Math.min(skipPreamble(text, mark.start), mark.end) } : mark;
}

/** The first place from `from` on where a word begins and no link is cut in two; `latest` where there is none before. */
function leadStart(text: string, from: number, latest: number): number {
  const gap = text.slice(from, latest).search(/\s\S/u);
  if (gap < 0) return latest;
  const word = from + gap + 1;
  const closing = text.slice(word, latest).indexOf("]]");
  const opening = text.slice(word, latest).indexOf("[[");
  if (closing < 0 || (opening >= 0 && opening < closing)) return word;
  return Math.min(skipPreamble(text, word + closing + 2), latest);
}

function cut(snippet: string, marks: readonly Mark[], start: number, before: string): Excerpt {
  const moved = (offset: number): number => Math.max(start, offset) - start + before.length;
  return {
    text: before + snippet.slice(start),
    marks: marks.map(({ kind, start: from, end }) => ({ kind, start: moved(from), end: moved(end) })),
  };
}
