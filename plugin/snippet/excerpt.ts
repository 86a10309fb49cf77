/** The part of a snippet that fits into the lines of a row, with its first mark in sight. Pure. */
import { type Passage } from "../protocol/messages";
import { type PlainText, plainText } from "./plain";

const LEAD_SHARE = 1 / 3; // of the width may precede the first mark: a third of two lines is most of the first
const LEAST_SHARE = 0.6; // of the width is filled before a sentence may end the excerpt early
const ELLIPSIS = "…";
const SENTENCE_END = /[.!?。！？…]["'”’»)\]]?(?=\s|$)|[。！？]/gu;
// What a full stop belongs to: the number of an item, initials and what is written like them (`e.g.`, `z. B.`), and shortened words.
const SHORTENED = /(?:^|· )\d{1,9}$|(?<![\p{L}\p{N}])(?:\p{L}|(?:\p{L}\.)+\p{L}|approx|bzw|ca|cf|dr|eg|fig|ie|incl|mr|mrs|ms|prof|sec|st|vgl|vs)$/iu;
const LONGEST_SHORTENED = 12;

/** How much there is room for. */
export interface Room {
  /** Characters that fit into the lines of one excerpt. */
  readonly characters: number;
  /** The length of the snippet that was asked for: a shorter one ends where its passage does. */
  readonly asked: number;
}

/**
 * The excerpt of a passage below `title`: plain, without a first line that repeats the title, at most `room.characters`
 * long. It ends with a sentence, or with "…" where the passage goes on.
 */
export function excerptOf({ snippet, marks }: Pick<Passage, "snippet" | "marks">, title: string, room: Room): PlainText {
  const [heading = ""] = /^[^\n]*\n\s*/u.exec(snippet) ?? [];
  const skipped = heading.replace(/^[#\s]+/u, "").trim() === title ? heading.length : 0;
  const shown = marks.filter(({ end }) => end > skipped).map((mark) => ({ ...mark, start: Math.max(0, mark.start - skipped), end: mark.end - skipped }));
  const whole = plainText(snippet.slice(skipped), shown);
  const started = startedAt(whole, startOf(whole, room.characters));
  return endedWithin(started, room.characters, snippet.length >= room.asked * LEAST_SHARE);
}

/** Where the excerpt starts: at 0, or so that its first mark is in sight. */
function startOf({ text, marks }: PlainText, width: number): number {
  const first = Math.min(...marks.map(({ start }) => start));
  const lead = Math.round(width * LEAD_SHARE);
  const firstEnd = Math.min(...marks.filter(({ start }) => start === first).map(({ end }) => end));
  if (marks.length === 0 || Math.min(firstEnd, first + lead) <= width) return 0;
  const gap = text.slice(first - lead, first).search(/\s\S/u);
  return gap < 0 ? first : first - lead + gap + 1;
}

function startedAt({ text, marks }: PlainText, start: number): PlainText {
  if (start === 0) return { text, marks };
  const lead = `${ELLIPSIS} `;
  const moved = (offset: number): number => Math.max(offset - start, 0) + lead.length;
  return { text: lead + text.slice(start), marks: marks.filter(({ end }) => end > start).map((mark) => ({ ...mark, start: moved(mark.start), end: moved(mark.end) })) };
}

function endedWithin({ text, marks }: PlainText, width: number, goesOn: boolean): PlainText {
  if (text.length <= width) return { text: goesOn && !endsSentence(text) ? `${text}${text === "" ? "" : ELLIPSIS}` : text, marks };
  const end = endOf(text, width);
  const kept = text.slice(0, end).replace(/(?:[\s·]+(?:\d{1,9}[.)])?)+$/u, ""); // a block break at the cut separates nothing, and a number counts nothing
  const cut = marks.filter(({ start }) => start < kept.length).map((mark) => ({ ...mark, end: Math.min(mark.end, kept.length) }));
  return { text: endsSentence(kept) ? kept : kept + ELLIPSIS, marks: cut };
}

/** The end of the last sentence that fits and is long enough, else of the last word, else of the last whole character. */
function endOf(text: string, width: number): number {
  const ends = [...text.slice(0, width).matchAll(SENTENCE_END)].filter(({ index }) => !isShortened(text, index));
  const sentence = ends.map(({ index, 0: signs }) => index + signs.length).filter((end) => end >= width * LEAST_SHARE).at(-1);
  if (sentence !== undefined) return sentence;
  const space = text.slice(0, width).search(/\s\S*$/u);
  return space >= width * LEAST_SHARE ? space : (new Intl.Segmenter().segment(text).containing(width - 1)?.index ?? width - 1);
}

/** Whether the sign at `at` is the full stop of a shortened word, or precedes a lower-case letter. */
function isShortened(text: string, at: number): boolean {
  return text.charAt(at) === "." && (SHORTENED.test(text.slice(Math.max(0, at - LONGEST_SHORTENED), at)) || /^\p{Ll}/u.test(text.slice(at + 1).trimStart()));
}

function endsSentence(text: string): boolean {
  return /[.!?。！？…]["'”’»)\]]?$/u.test(text) && !isShortened(text, text.length - 1);
}

/** `narrow`: as normal, without the line of headings, for a list too narrow to give it one. */
type DrawnDensity = "compact" | "narrow" | "normal" | "roomy";
/** `auto`: by the width of the list. */
export type Density = "auto" | Exclude<DrawnDensity, "narrow">;
export const DENSITIES: readonly Density[] = ["auto", "compact", "normal", "roomy"];

/** The density of a list that is `widthPx` wide; 0 where it is not known yet. */
export function densityFor(density: Density | DrawnDensity, widthPx: number): DrawnDensity {
  if (density !== "auto") return density;
  return widthPx > 0 && widthPx < NORMAL_PX ? "narrow" : "normal";
}

/** Lines of an excerpt; as many as in the style sheet. */
export const LINES: Readonly<Record<DrawnDensity, number>> = { compact: 1, narrow: 2, normal: 2, roomy: 5 };

/** The usual height of a row; where rows are lower, more of them are loaded at once. */
const ROW_PX: Readonly<Record<DrawnDensity, number>> = { compact: 44, narrow: 60, normal: 64, roomy: 110 };
const UNMEASURED_PX = 700;
const NORMAL_PX = 320; // below, one line of a passage is a few words
const WIDE_PX = 400; // from here on there is room for tags beside the name

const CHARACTER_PX = 5.9; // of the small interface font, measured over English, German and code
const PADDING_PX = 34; // left and right of the text
const LEAST_CHARACTERS = 36;
const NARROW_PX = 300; // the width of a sidebar, until a pane has been laid out

// Asked for in steps, so that dragging a border does not repeat the search at every pixel. Signs and addresses take up to
// half of a snippet's source.
const STEPS = [120, 240, 400, 640] as const;
const SIGNS_SHARE = 1.4;

/** How many rows are in sight in a list that is `heightPx` high, and two below; 0 where it is not known yet. */
export function rowsInSight(heightPx: number, density: DrawnDensity): number {
  return Math.ceil((heightPx || UNMEASURED_PX) / ROW_PX[density]) + 2;
}

export function isWide(widthPx: number): boolean {
  return widthPx >= WIDE_PX;
}

/** The room for an excerpt in a pane that is `widthPx` wide; 0 where it is not known yet. */
export function roomFor(widthPx: number, density: Density | DrawnDensity): Room {
  const perLine = Math.max(LEAST_CHARACTERS, Math.floor(((widthPx || NARROW_PX) - PADDING_PX) / CHARACTER_PX));
  const characters = perLine * LINES[densityFor(density, widthPx)];
  return { characters, asked: STEPS.find((step) => step >= characters * SIGNS_SHARE) ?? STEPS[STEPS.length - 1] ?? characters };
}
