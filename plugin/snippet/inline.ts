/** Finds Markdown's inline syntax in a paragraph: emphasis, links, code, HTML. Pure. */
import { type Mark } from "../protocol/messages";

/** Replaces `[start, end)` of a source by `text`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** How a part of a text looks, by the element that shows it; `link` leads nowhere in a text that is only looked at. */
export interface Style {
  readonly tag: "code" | "del" | "em" | "link" | "mark" | "strong";
  readonly start: number;
  readonly end: number;
}

/** A run of signs that may open or close emphasis. */
interface Delimiter {
  readonly start: number;
  readonly sign: string;
  readonly opens: boolean;
  readonly closes: boolean;
}

// Bounded repetitions: a snippet has at most 1,000 characters, and none of them may make an expression backtrack far.
const TOKEN = new RegExp(
  [
    String.raw`(?<escape>\\[!-/:-@[-\x60{-~])`,
    String.raw`(?<code>(?<ticks>\x60{1,5})(?!\x60)(?:(?!\k<ticks>)[^]){1,900}?\k<ticks>(?!\x60))`,
    String.raw`(?<comment><!--[^]{0,900}?(?:-->|$)|%%[^]{0,900}?%%)`,
    String.raw`(?<autolink><(?<target>[a-z][a-z0-9+.-]{1,20}:[^\s<>]{1,900})>)`,
    String.raw`(?<tag></?[a-z][\w-]{0,30}(?:\s[^<>]{0,900})?/?>|<[a-z][\w-]{0,30}\s+[\w:-]{1,40}=[^<>]{0,900}$)`,
    String.raw`(?<wiki>!?\[\[(?<page>[^[\]|\n]{1,400})(?:\\?\|(?<alias>[^[\]\n]{0,400}))?\]\])`,
    String.raw`(?<footnote>\[\^[^\]\n]{1,80}\])`,
    String.raw`(?<image>!?)\[(?<label>(?:[^[\]\n]|\[[^[\]\n]{0,200}\]){0,400})\](?<address>\((?:[^()\n]|\([^()\n]{0,200}\)){0,900}\)|\[[^\]\n]{0,200}\])`,
    String.raw`(?<url>\b(?:https?|ftp|obsidian|file)://[^\s<>()[\]"'\x60*|]{1,900})`,
    String.raw`(?<entity>&(?:amp|lt|gt|quot|nbsp|#39|#x27);)`,
    String.raw`(?<signs>\*{1,3}|_{1,3}|~~|==)`,
    String.raw`(?<opening>!?\[\[?(?=[^\]\n]*(?:\]\([^()\s]{0,900})?$))`,
    String.raw`(?<closing>\]\](?!\])|\]\([^()\s]{0,900}(?:\)|$))`,
  ].join("|"),
  "giu",
);
const ENTITIES: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&nbsp;": " ", "&#39;": "'", "&#x27;": "'" };
const EMPHASIS: Readonly<Record<string, readonly Style["tag"][]>> = { "*": ["em"], "**": ["strong"], "***": ["strong", "em"], "~~": ["del"], "==": ["mark"] };
const SIZE = /^\s*\d+(?:x\d+)?\s*$/u; // of an image, as in `![[plan.png|300]]`
const WORD = /[\p{L}\p{N}]/u;

/**
 * The edits that take Markdown's inline signs out of `source` in `[start, end)`. A link to which a mark belongs keeps its
 * address. What the signs meant is added to `styles`.
 */
export function inlineEdits(source: string, start: number, end: number, marks: readonly Mark[], styles: Style[] = []): readonly Edit[] {
  const edits: Edit[] = [];
  const delimiters: Delimiter[] = [];
  const block = source.slice(0, end);
  const cut = (from: number, to: number, text = ""): void => { if (from < to) edits.push({ start: from, end: to, text }); };
  const style = (tag: Style["tag"], from: number, to: number): void => { styles.push({ tag, start: from, end: to }); };
  const pattern = new RegExp(TOKEN);
  pattern.lastIndex = start;
  for (let token = pattern.exec(block); token; token = pattern.exec(block)) {
    const at = token.index;
    const to = at + token[0].length;
    const { escape, code, ticks = "", comment, autolink, target = "", tag, wiki, page = "", alias, footnote, label, address, url, entity, signs, opening, closing } = token.groups ?? {};
    if ((wiki ?? address ?? url ?? autolink) !== undefined) style("link", at, to);
    if (escape !== undefined) cut(at, at + 1);
    else if (code !== undefined) {
      style("code", at, to);
      cut(at, at + ticks.length);
      cut(to - ticks.length, to);
    } else if (comment !== undefined || tag !== undefined) cut(at, to, " ");
    else if (footnote !== undefined || opening !== undefined || closing !== undefined) cut(at, to);
    else if (autolink !== undefined) edits.push(...addressEdits(target, at + 1, at, to, marks));
    else if (url !== undefined) edits.push(...addressEdits(url, at, at, to, marks));
    else if (entity !== undefined) cut(at, to, ENTITIES[entity.toLowerCase()] ?? "");
    else if (wiki !== undefined) {
      const open = wiki.indexOf("[[") + 2;
      const isEmbed = wiki.startsWith("!");
      if (alias !== undefined && alias.trim() !== "" && !(isEmbed && SIZE.test(alias))) {
        cut(at, to - 2 - alias.length);
        edits.push(...inlineEdits(source, to - 2 - alias.length, to - 2, marks, styles));
      } else {
        cut(at, at + open + (isEmbed ? page.lastIndexOf("/") + 1 : 0)); // of an embed, its name without folders
        const hash = page.indexOf("#");
        if (hash >= 0) cut(at + open + hash, at + open + hash + 1, hash === 0 ? "" : " › ");
        if (alias !== undefined) cut(at + open + page.length, to - 2);
      }
      cut(to - 2, to);
    } else if (label !== undefined && address !== undefined) {
      const from = to - address.length - 1 - label.length;
      cut(at, from);
      edits.push(...inlineEdits(source, from, from + label.length, marks, styles));
      cut(from + label.length, to);
    } else if (signs !== undefined) delimiters.push(delimiterAt(block, at, signs, start));
  }
  return [...edits, ...emphasisEdits(delimiters, style)];
}

/** Shortens an address to its host, or removes only its scheme if the query marks a part of it. */
function addressEdits(address: string, start: number, from: number, to: number, marks: readonly Mark[]): readonly Edit[] {
  const scheme = /^[a-z+.-]+:(?:\/\/)?/iu.exec(address)?.[0] ?? "";
  const host = /^[^/?#]*/u.exec(address.slice(scheme.length))?.[0] ?? "";
  const hostEnd = start + scheme.length + host.length;
  const isMarked = marks.some((mark) => mark.kind === "word" && mark.start < to && mark.end > hostEnd);
  const end = start + address.length;
  const edits = [{ start: from, end: start + scheme.length, text: "" }];
  if (!isMarked && end > hostEnd + 1) edits.push({ start: hostEnd, end, text: "/…" });
  if (end < to) edits.push({ start: end, end: to, text: "" });
  return edits;
}

/** CommonMark's flanking rules, with the snippet's own ends as white space. */
function delimiterAt(block: string, start: number, sign: string, from: number): Delimiter {
  const before = start > from ? block.charAt(start - 1) : " ";
  const after = block.charAt(start + sign.length) || " ";
  const isInside = WORD.test(before) && WORD.test(after);
  const isUnderscore = sign.startsWith("_");
  return {
    start,
    sign,
    opens: !/\s/u.test(after) && !(isUnderscore && isInside) && (!WORD.test(before) || isInside || WORD.test(after)),
    closes: !/\s/u.test(before) && !(isUnderscore && isInside),
  };
}

/** Pairs are signs; so is what the edge of the snippet cut from its pair, unless it can be meant as it stands. */
function emphasisEdits(delimiters: readonly Delimiter[], style: (tag: Style["tag"], from: number, to: number) => void): readonly Edit[] {
  const open: Delimiter[] = [];
  const found: Delimiter[] = [];
  for (const delimiter of delimiters) {
    const at = delimiter.closes ? open.findLastIndex(({ sign }) => sign === delimiter.sign) : -1;
    const partner = open[at];
    if (partner) {
      found.push(partner, delimiter);
      for (const tag of EMPHASIS[delimiter.sign.replaceAll("_", "*")] ?? []) style(tag, partner.start, delimiter.start);
      open.splice(at);
    } else if (delimiter.opens) open.push(delimiter);
    else if (delimiter.closes && isOnlyMarkup(delimiter)) found.push(delimiter);
  }
  found.push(...open.filter(isOnlyMarkup));
  return found.map(({ start, sign }) => ({ start, end: start + sign.length, text: "" }));
}

/** Whether unpaired signs can hardly be meant as text: `**` and `==x`, but not `*` after a word, or `_private`. */
function isOnlyMarkup({ sign, opens, closes }: Delimiter): boolean {
  if (sign.startsWith("_")) return sign.length > 1 && opens !== closes;
  return opens !== closes || sign.length > 1;
}
