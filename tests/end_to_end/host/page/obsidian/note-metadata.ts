/** What the plugin reads in Obsidian's cache of a note: properties, headings, links, tags and blocks, with their positions. */
import type { CachedMetadata, CacheItem, Pos } from "obsidian";
import { getFrontMatterInfo, readFrontMatter } from "./frontmatter";

const HEADING = /^ {0,3}(#{1,6})\s+(.+?)\s*#*\s*$/;
const WIKI_LINK = /(!?)\[\[([^\][|]+)(?:\|([^\][]+))?\]\]/g;
const MARKDOWN_LINK = /(!?)\[([^\][]*)\]\(<?([^()<>\s]+)>?(?:\s+"[^"]*")?\)/g;
const EXTERNAL = /^[a-z][a-z0-9+.-]*:/i;
const TAG = /(?<![^\s(,;"'*_>~])#((?=[^\s#]*[\p{L}_/-])[\p{L}\p{N}\p{M}\p{Extended_Pictographic}\u200d\ufe0f_/-]+)/gu;
const BLOCK_ID = /(?:^|\s)\^([a-z0-9-]+)\s*$/i;
const FENCE = /^\s*(`{3,}|~{3,})/;
const INLINE_CODE = /(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g;

interface Line {
  readonly text: string;
  readonly row: number;
  readonly offset: number;
}

/** The lists of a cache that are left out when they are empty. */
type Lists = Required<Pick<CachedMetadata, "links" | "tags" | "headings">>;

export function describeNote(text: string): CachedMetadata {
  const lines = linesOf(text);
  const body = lines.filter(({ offset }) => offset >= getFrontMatterInfo(text).contentStart);
  const lists: Lists = { links: [], tags: [], headings: [] };
  const blocks: NonNullable<CachedMetadata["blocks"]> = {};
  for (const block of blocksOf(body)) {
    describeLines(block, lists);
    const id = BLOCK_ID.exec(block.at(-1)?.text ?? "")?.[1];
    if (id !== undefined) blocks[id.toLowerCase()] = { id, position: spanning(block) };
  }
  const frontmatter = readFrontMatter(text);
  return {
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
    ...(frontmatter && { frontmatter }),
    ...(Object.keys(blocks).length > 0 && { blocks }),
  };
}

function linesOf(text: string): Line[] {
  let offset = 0;
  return text.split("\n").map((raw, row) => {
    const line = { text: raw.replace(/\r$/, ""), row, offset };
    offset += raw.length + 1;
    return line;
  });
}

/** Blocks of the text that is no code, in order: a heading, or lines up to an empty one. */
function blocksOf(lines: readonly Line[]): Line[][] {
  const blocks: Line[][] = [];
  let open: Line[] | null = null;
  let fence: string | null = null;
  for (const line of lines) {
    const marker = FENCE.exec(line.text)?.[1];
    const isHeading = HEADING.test(line.text);
    if (fence !== null) {
      if (marker?.startsWith(fence)) fence = null;
    } else if (marker) {
      fence = marker;
      open = null;
    } else if (line.text.trim() === "") open = null;
    else if (open && !isHeading) open.push(line);
    else {
      blocks.push([line]);
      open = isHeading ? null : (blocks.at(-1) ?? null);
    }
  }
  return blocks;
}

function describeLines(lines: readonly Line[], into: Lists): void {
  for (const line of lines) {
    const heading = HEADING.exec(line.text);
    if (heading) into.headings.push({ heading: heading[2]!, level: heading[1]!.length, position: within(line, 0, line.text.length) });
    const text = line.text.replace(INLINE_CODE, (code) => " ".repeat(code.length));
    for (const match of text.matchAll(WIKI_LINK)) {
      const [original, , link, label] = match;
      into.links.push({ link: link!, original, displayText: label ?? shownFor(link!), position: within(line, match.index, match.index + original.length) });
    }
    for (const match of text.matchAll(MARKDOWN_LINK)) {
      const [original, , label, target] = match;
      if (EXTERNAL.test(target!)) continue;
      into.links.push({ link: decoded(target!), original, displayText: label!, position: within(line, match.index, match.index + original.length) });
    }
    const prose = text.replace(WIKI_LINK, (link) => "\0".repeat(link.length));
    for (const match of prose.matchAll(TAG)) into.tags.push({ tag: match[0], position: within(line, match.index, match.index + match[0].length) });
  }
}

/** `Note#Heading` is shown as `Note > Heading`. */
function shownFor(link: string): string {
  return link.split("#").filter(Boolean).join(" > ");
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}

function within(line: Line, from: number, to: number): CacheItem["position"] {
  return { start: { line: line.row, col: from, offset: line.offset + from }, end: { line: line.row, col: to, offset: line.offset + to } };
}

function spanning(lines: readonly Line[]): Pos {
  const [first, last] = [lines[0]!, lines.at(-1)!];
  return { start: within(first, 0, 0).start, end: within(last, 0, last.text.length).end };
}
