/** The part of a snippet that fits into two narrow lines below the title, with its first mark in sight. Pure. */
import { type Mark, type Passage } from "../protocol/messages";

export interface Excerpt {
  readonly text: string;
  /** Into `text`, UTF-16 code units. */
  readonly marks: readonly Mark[];
}

const LEAD_CHARS = 40; // in front of the first mark: about one line of a 300 px pane
const ELLIPSIS = "… ";

/** The snippet without a first line that repeats `title`, and with at most `LEAD_CHARS` in front of its first mark. */
export function excerptOf({ snippet, marks }: Pick<Passage, "snippet" | "marks">, title: string): Excerpt {
  const whole = { text: snippet, marks };
  const [heading = ""] = /^[^\n]*\n\s*/u.exec(snippet) ?? [];
  const body = heading.trim() === title ? from(whole, heading.length, "") : whole;
  const first = Math.min(...body.marks.map(({ start }) => start));
  if (body.marks.length === 0 || first <= LEAD_CHARS) return body;
  return from(body, leadStart(body.text, first - LEAD_CHARS, first), ELLIPSIS);
}

/** `excerpt` from the offset `start` on, behind `prefix`. */
function from({ text, marks }: Excerpt, start: number, prefix: string): Excerpt {
  const moved = (offset: number): number => Math.max(offset - start, 0) + prefix.length;
  const shown = marks.filter(({ end }) => end > start);
  return { text: prefix + text.slice(start), marks: shown.map(({ kind, ...mark }) => ({ kind, start: moved(mark.start), end: moved(mark.end) })) };
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
