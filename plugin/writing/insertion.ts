/** Links and quotations as Markdown, and the white space around them at the caret. Pure. */
import { type Span } from "../search/passage";

/** The lines around a caret. */
export interface CaretLines {
  /** Null at the first line. */
  readonly above: string | null;
  /** The caret's line, before and after it. */
  readonly before: string;
  readonly after: string;
}

const ITEM = /^([ \t>]*)((?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?)$/u;

/** Links: one in the line, several as a list. In an empty item, the items that follow are of its kind. */
export function linksAt(links: readonly string[], { before, after }: CaretLines): string {
  const [first = "", ...others] = links;
  if (others.length === 0) return first;
  const item = ITEM.exec(before);
  if (item) {
    const [, indent = "", marker = ""] = item;
    return [first, ...others.map((link) => indent + marker.replace(/\[.\]/u, "[ ]") + link)].join("\n") + (after.trim() === "" ? "" : "\n");
  }
  const indent = /^[ \t>]*/u.exec(before)?.[0] ?? "";
  const list = links.map((link, at) => (at === 0 && before.trim() === indent.trim() && before === indent ? "" : indent) + `- ${link}`).join("\n");
  return (before === indent ? "" : "\n") + list + (after.trim() === "" ? "" : "\n");
}

/** Blocks, between empty lines where there is text: a paragraph below a quotation would become part of it. */
export function blocksAt(blocks: readonly string[], { above, before, after }: CaretLines): string {
  const text = blocks.join("\n\n");
  const isBlank = (line: string | null): boolean => line === null || line.trim() === "";
  const lead = isBlank(before) ? (isBlank(above) ? "" : "\n") : "\n\n";
  return lead + text + (isBlank(after) ? "\n" : "\n\n"); // the caret goes on below, out of the quotation
}

const MAX_CHARACTERS = 2_000; // a long paragraph or two; beyond that a link serves better
const FENCE = /^[ \t>]*(`{3,}|~{3,})/u;
const BLOCK_ID = /[ \t]+\^[\w-]+[ \t]*$/u;

interface Line {
  readonly text: string;
  readonly start: number;
  /** The line that opens the fenced block which this one belongs to, fences included; null outside. */
  readonly fence: number | null;
}

/** The blocks of `text` that hold `spans`, as lines: without block ids, common indentation and an enclosing quotation. */
export function quotedLines(text: string, spans: readonly Span[]): readonly string[] {
  const lines = linesOf(text);
  const first = Math.min(...spans.map(({ start }) => start));
  const reach = spans.filter(({ end }) => end - first <= MAX_CHARACTERS);
  const last = Math.max(first, ...reach.map(({ end }) => end));
  const from = blockStart(lines, lineOf(lines, first));
  const to = blockEnd(lines, lineOf(lines, Math.max(first, last - 1)));
  const block = lines.slice(from, to + 1);
  const fits = (block.at(-1)?.start ?? 0) + (block.at(-1)?.text.length ?? 0) - (block[0]?.start ?? 0) <= MAX_CHARACTERS;
  return cleaned(fits ? block.map((line) => line.text) : shortened(text, lines, first));
}

/** `lines` as a quotation, with `link` as its source. */
export function blockquote(lines: readonly string[], link: string): string {
  return [...lines, ...(lines.length === 0 ? [] : [""]), `— ${link}`].map((line) => `> ${line}`.trimEnd()).join("\n");
}

function linesOf(text: string): readonly Line[] {
  let start = 0;
  let open: { line: number; fence: string } | null = null;
  return text.split("\n").map((line, at) => {
    const fence = FENCE.exec(line)?.[1] ?? null;
    const opened: number | null = open?.line ?? (fence === null ? null : at);
    if (open === null) open = fence === null ? null : { line: at, fence };
    else if (fence?.startsWith(open.fence) && line.trim().endsWith(fence)) open = null;
    const found: Line = { text: line, start, fence: opened };
    start += line.length + 1;
    return found;
  });
}

function lineOf(lines: readonly Line[], offset: number): number {
  return Math.max(0, [...lines].findLastIndex(({ start }) => start <= offset));
}

function blockStart(lines: readonly Line[], at: number): number {
  const fence = lines[at]?.fence ?? null;
  if (fence !== null) return fence;
  let from = at;
  while (from > 0 && joins(lines[from - 1], lines[from])) from -= 1;
  return from;
}

function blockEnd(lines: readonly Line[], at: number): number {
  let to = at;
  const fence = lines[at]?.fence ?? null;
  if (fence !== null) while (lines[to + 1]?.fence === fence) to += 1;
  else while (to + 1 < lines.length && joins(lines[to], lines[to + 1])) to += 1;
  return to;
}

/** Whether two lines outside of fences belong to one block. */
function joins(above: Line | undefined, below: Line | undefined): boolean {
  if (!above || !below || above.fence !== below.fence) return false;
  return !isBreak(above.text) && !isBreak(below.text);
}

function isBreak(line: string): boolean {
  return line.replace(/^[ \t>]+/u, "").trim() === "" || /^#{1,6}[ \t]/u.test(line);
}

/** What is quoted of a block that is too long: the sentences around `offset`, or some lines of code in fences of their own. */
function shortened(text: string, lines: readonly Line[], offset: number): readonly string[] {
  const at = lineOf(lines, offset);
  const fence = lines[at]?.fence ?? null;
  if (fence !== null) {
    const opening = lines[fence]?.text ?? "";
    const body = lines.slice(Math.max(fence + 1, at - 8), at + 9).filter((line) => line.fence === fence && !FENCE.test(line.text));
    return [opening, ...body.map((line) => line.text), FENCE.exec(opening)?.[1] ?? "```"];
  }
  const start = Math.max(lines[at]?.start ?? 0, offset - MAX_CHARACTERS / 4);
  const near = text.slice(start, start + MAX_CHARACTERS / 2).split("\n")[0] ?? "";
  const isWhole = start === lines[at]?.start;
  const sentences = [...new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(near)].map(({ segment }) => segment);
  const kept = sentences.slice(isWhole || sentences.length < 3 ? 0 : 1, sentences.length < 3 ? undefined : -1);
  return [`${isWhole ? "" : "… "}${kept.join("").trim()} …`];
}

/** Without ids, which would name two blocks, and without what all lines begin with. */
function cleaned(lines: readonly string[]): readonly string[] {
  let isCode = false;
  const own = lines.map((line) => {
    if (FENCE.test(line)) isCode = !isCode;
    return isCode ? line : line.replace(BLOCK_ID, "").trimEnd();
  });
  const inner = own.every((line) => line.startsWith(">")) ? own.map((line) => line.replace(/^>[ ]?/u, "")) : own;
  const indents = inner.filter((line) => line.trim() !== "").map((line) => /^[ \t]*/u.exec(line)?.[0].length ?? 0);
  const common = Math.min(...indents);
  const dedented = Number.isFinite(common) ? inner.map((line) => line.slice(Math.min(common, line.length))) : inner;
  const [from, to] = [dedented.findIndex((line) => line.trim() !== ""), dedented.findLastIndex((line) => line.trim() !== "")];
  return from < 0 ? [] : dedented.slice(from, to + 1);
}
