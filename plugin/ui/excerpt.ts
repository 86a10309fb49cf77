/** The part of a snippet that fits into two narrow lines with its first mark in sight. Pure. */
import { type Mark, type Passage } from "../protocol/messages";

export interface Excerpt {
  readonly text: string;
  /** Into `text`, UTF-16 code units. */
  readonly marks: readonly Mark[];
}

const LEAD_CHARS = 40; // in front of the first mark: about one line of a 300 px pane
const ELLIPSIS = "… ";

/** The snippet, without its beginning when the first mark is further than `LEAD_CHARS` from it. */
export function excerptOf({ snippet, marks }: Pick<Passage, "snippet" | "marks">): Excerpt {
  const first = Math.min(...marks.map(({ start }) => start));
  if (marks.length === 0 || first <= LEAD_CHARS) return { text: snippet, marks };
  const start = leadStart(snippet, first - LEAD_CHARS, first);
  const moved = (offset: number): number => offset - start + ELLIPSIS.length;
  return {
    text: ELLIPSIS + snippet.slice(start),
    marks: marks.map((mark) => ({ ...mark, start: moved(mark.start), end: moved(mark.end) })),
  };
}

/** The first start of a word at or after `from` that is outside a link; `first` when there is none before it. */
function leadStart(text: string, from: number, first: number): number {
  const gap = text.slice(from, first).search(/\s\S/u);
  if (gap < 0) return first;
  const word = from + gap + 1;
  const lead = text.slice(word, first);
  const end = lead.indexOf("]]");
  const isInLink = end >= 0 && !lead.slice(0, end).includes("[[");
  if (!isInLink) return word;
  const behindLink = word + end + 2;
  return behindLink + (/^[\s.,;:!?)]*/u.exec(text.slice(behindLink, first))?.[0].length ?? 0);
}
