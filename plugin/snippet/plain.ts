/**
 * Plain text of a piece of Markdown, with its marks moved along. Pure.
 *
 * A snippet is a slice of a note's source, so that its offsets lead back into the note; it may begin and end in the middle
 * of anything. Signs are taken out where they are signs: not in code, not in `2 * 3`, not in `snake_case`.
 */
import { type Mark } from "../protocol/messages";
import { type Edit, inlineEdits, type Style } from "./inline";

export interface PlainText {
  readonly text: string;
  /** Into `text`, UTF-16 code units. */
  readonly marks: readonly Mark[];
}

const BLOCK_BREAK = " · "; // between two blocks, which a line of text would run together
const LINE = /[^\n]*(?:\n|$)/gu;
const FENCE = /^[ \t>]*(?:`{3,}|~{3,})([^`\n]*)$/u;
const RULE = /^[ \t]*(?:(?:[-*_][ \t]*){3,}|={2,}[ \t]*|\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*)$/u;
const DEFINITION = /^[ \t]*\[\^?[^\]\n]{1,100}\]:[ \t]*/u;
const MARKERS = /^(?:[ \t]*(?:>[ \t]?|#{1,6}(?:[ \t]+|$)|[-*+][ \t]+(?:\[.\][ \t]+)?|\d{1,9}[.)][ \t]+(?:\[.\][ \t]+)?|\[!\w+\][+-]?[ \t]*))+/u;
const BLOCK_ID = /[ \t]\^[\w-]+[ \t]*$/u;

/** `source` without Markdown's signs, as one line, with its marks moved along. Marks of what is left out are left out. */
export function plainText(source: string, marks: readonly Mark[]): PlainText {
  const text = applied(source, editsOf(source, marks));
  return { text: text.text, marks: moved(marks, text) };
}

/** One line of a block without Markdown's signs, and what they meant, as spans of the text that is left. */
export function styledLine(source: string): { readonly text: string; readonly styles: readonly Style[] } {
  const styles: Style[] = [];
  const text = applied(source, inOrder(inlineEdits(source, 0, source.length, [], styles)));
  return { text: text.text, styles: moved(styles, text) };
}

/** Spans of a source as spans of its text; those of which nothing is left are left out. */
function moved<T extends { readonly start: number; readonly end: number }>(spans: readonly T[], { first, last }: Applied): readonly T[] {
  return spans.flatMap((span) => {
    const places = Array.from({ length: Math.max(0, Math.min(span.end, first.length) - span.start) }, (_, at) => span.start + at).filter((at) => (first[at] ?? -1) >= 0);
    const [from, to] = [places[0], places.at(-1)];
    if (from === undefined || to === undefined) return [];
    return [{ ...span, start: first[from] ?? 0, end: last[to] ?? 0 }];
  });
}

function inOrder(edits: readonly Edit[]): readonly Edit[] {
  return edits.filter(({ start, end, text }) => start < end || text !== "").sort((a, b) => a.start - b.start || a.end - b.end);
}

/** What is taken out of `source` or replaced, in order; edits do not overlap. */
function editsOf(source: string, marks: readonly Mark[]): readonly Edit[] {
  const edits: Edit[] = [];
  const lines = [...source.matchAll(LINE)].filter(([line]) => line !== "");
  let isCode = beginsInCode(lines.map(([line]) => line));
  let paragraph: { start: number; end: number } | null = null;
  const endParagraph = (): void => {
    if (paragraph) edits.push(...inlineEdits(source, paragraph.start, paragraph.end, marks));
    paragraph = null;
  };
  for (const match of lines) {
    const line = match[0].replace(/\n$/u, "");
    const [start, end] = [match.index, match.index + line.length];
    const whole = { start, end: match.index + match[0].length, text: BLOCK_BREAK };
    if (FENCE.test(line)) {
      endParagraph();
      isCode = !isCode;
      edits.push(whole);
    } else if (isCode) {
      if (match[0].endsWith("\n")) edits.push({ start: end, end: end + 1, text: " " });
    } else if (line.trim() === "" || RULE.test(line)) {
      endParagraph();
      edits.push(whole);
    } else {
      const markers = (DEFINITION.exec(line) ?? MARKERS.exec(line))?.[0] ?? "";
      const isRow = /^[ \t]*\|/u.test(line);
      if (markers !== "" || isRow) {
        endParagraph();
        edits.push({ start, end: start + markers.length, text: BLOCK_BREAK + numberOf(markers) });
      }
      if (isRow) edits.push(...cellEdits(line, start));
      const id = BLOCK_ID.exec(line);
      if (id) edits.push({ start: start + id.index, end, text: "" });
      const from: number = paragraph === null ? start + markers.length : (paragraph as { start: number }).start;
      paragraph = { start: from, end: id ? start + id.index : end };
      if (id || /^[ \t]*#{1,6}[ \t]/u.test(line) || isRow) {
        endParagraph();
        if (match[0].endsWith("\n")) edits.push({ start: end, end: end + 1, text: BLOCK_BREAK });
      }
    }
  }
  endParagraph();
  return inOrder(edits);
}

/** Whether the first line is inside a fence that opened before the snippet: then the first fence in it closes one. */
function beginsInCode(lines: readonly string[]): boolean {
  const fences = lines.map((line) => FENCE.exec(line.replace(/\n$/u, ""))).filter((fence) => fence !== null);
  return fences.length % 2 === 1 && fences[0]?.[1]?.trim() === "" && FENCE.exec(lines[0]?.trim() ?? "") === null;
}

/** The number of a list's item, which says something, unlike a bullet. */
function numberOf(markers: string): string {
  return /\d{1,9}[.)][ \t]/u.exec(markers)?.[0] ?? "";
}

function cellEdits(line: string, start: number): readonly Edit[] {
  return [...line.matchAll(/(?<!\\)\|/gu)].map(({ index }) => ({ start: start + index, end: start + index + 1, text: BLOCK_BREAK }));
}

interface Applied {
  readonly text: string;
  /** For each code unit of the source, its start in the text (-1 if it is left out) and its end. */
  readonly first: Int32Array;
  readonly last: Int32Array;
}

/** `source` with `edits`; runs of white space become one space, or a block break where there was one. */
function applied(source: string, edits: readonly Edit[]): Applied {
  const first = new Int32Array(source.length).fill(-1);
  const last = new Int32Array(source.length).fill(-1);
  let text = "";
  let gap = "";
  const widen = (by: string): void => { gap = gap === BLOCK_BREAK ? gap : by; };
  const write = (from: number, to: number, visible: string): void => {
    if (text !== "") text += gap;
    gap = "";
    for (let at = from; at < to; at += 1) first[at] = text.length;
    text += visible;
    for (let at = from; at < to; at += 1) last[at] = text.length;
  };
  let at = 0;
  for (const edit of [...edits, { start: source.length, end: source.length, text: "" }]) {
    for (; at < edit.start; at += 1) {
      const unit = source.charAt(at);
      if (/\s/u.test(unit)) widen(" ");
      else write(at, at + 1, unit);
    }
    if (edit.end < at) continue;
    const [lead = "", visible = ""] = edit.text.startsWith(BLOCK_BREAK) ? [BLOCK_BREAK, edit.text.slice(BLOCK_BREAK.length)] : ["", edit.text];
    if (lead !== "") widen(lead);
    if (visible.trim() !== "") write(at, edit.end, visible.trimEnd());
    if (/\s$/u.test(visible)) widen(" ");
    at = Math.max(at, edit.end);
  }
  return { text, first, last };
}
