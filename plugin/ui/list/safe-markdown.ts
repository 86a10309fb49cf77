/**
 * Draws Markdown of a note that is looked at before it is opened.
 *
 * Obsidian's own renderer would run the code of other plugins, load images and embed notes. Here, code blocks are code,
 * embeds and images are their names, links lead nowhere, and HTML is left out.
 */
import { styledLine } from "../../snippet/plain";

const FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})/u;
const HEADING = /^(#{1,6})\s+(\S.*)?$/su; // matches in one way alone: a note may have thousands of spaces, and line ends that are none
const HEADING_END = /\s#+$/u;
const RULE = /^\s*([-*_])(?:\s*\1){2,}\s*$/u;
const QUOTE = /^\s{0,3}>\s?/u;
const CALLOUT = /^\[!([\w-]+)[^\]]*\][+-]?\s*(.*)$/u;
const ITEM = /^(\s*)(?:[-*+]|(\d{1,9})[.)])(?:\s+(?:\[(.)\]\s+)?|$)/u;
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/u;
const MAX_DEPTH = 12; // of quotes and lists in each other; a note with more is none

/** Appends the blocks of `lines` to `parent`; those of a list's item begin in the item itself. */
export function drawMarkdown(parent: HTMLElement, lines: readonly string[], depth = 0): void {
  let at = 0;
  const take = (isOurs: (line: string, index: number) => boolean): readonly string[] => {
    const from = at;
    do at += 1; while (at < lines.length && isOurs(lines[at] ?? "", at - from));
    return lines.slice(from, at);
  };
  let paragraph: HTMLElement | null = parent.tagName === "LI" ? parent : null;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const fence = FENCE.exec(line)?.[1];
    const heading = HEADING.exec(line);
    const [item, indent = "", number] = ITEM.exec(line) ?? [];
    const before = paragraph;
    paragraph = null;
    if (fence !== undefined) {
      const [, ...code] = take((other) => !other.trim().startsWith(fence) || other.trim().replaceAll(fence.charAt(0), "") !== "");
      at += 1; // the fence that closes it
      parent.createEl("pre").createEl("code", { text: code.join("\n") });
    } else if (heading) {
      at += 1;
      drawLine(parent.createEl(`h${heading[1]?.length ?? 1}` as "h1"), (heading[2] ?? "").trim().replace(HEADING_END, "").trim());
    } else if (RULE.test(line)) {
      at += 1;
      parent.createEl("hr");
    } else if (QUOTE.test(line) && depth < MAX_DEPTH) {
      const quoted = take((other) => QUOTE.test(other)).map((other) => other.replace(QUOTE, ""));
      drawMarkdown(parent.createEl("blockquote"), quoted.map((other) => other.replace(CALLOUT, (_, kind: string, title: string) => `**${title || kind}**`)), depth + 1);
    } else if (item !== undefined && depth < MAX_DEPTH) {
      const list = number === undefined ? parent.createEl("ul") : parent.createEl("ol", { attr: { start: number } });
      while (ITEM.exec(lines[at] ?? "")?.[1] === indent) {
        const [first = "", ...others] = take((other) => (other.trim() === "" ? /^\s/u.test(lines[at + 1] ?? "") : other.search(/\S/u) > indent.length));
        const task = ITEM.exec(first)?.[3];
        const el = list.createEl("li", task === undefined ? {} : { cls: "quarry-task", text: task === " " ? "☐ " : "☑ " });
        const margin = Math.min(...others.filter((other) => other.trim() !== "").map((other) => other.search(/\S/u)));
        drawMarkdown(el, [first.replace(ITEM, ""), ...others.map((other) => other.slice(margin))], depth + 1);
      }
    } else if (line.includes("|") && DIVIDER.test(lines[at + 1] ?? "")) {
      const rows = take((other, index) => index === 1 || other.includes("|"));
      const table = parent.createEl("table");
      for (const [index, row] of rows.entries()) if (index !== 1) drawCells(table.createEl("tr"), index === 0 ? "th" : "td", row);
    } else {
      at += 1;
      if (line.trim() === "") continue;
      paragraph = before ?? parent.createEl("p");
      if (before && (before !== parent || at > 1)) paragraph.createEl("br");
      drawLine(paragraph, line.trim());
    }
  }
}

function drawCells(row: HTMLElement, tag: "td" | "th", source: string): void {
  const cells = source.trim().replace(/^\|/u, "").replace(/(?<!\\)\|$/u, "");
  for (const cell of cells.split(/(?<!\\)\|/u)) drawLine(row.createEl(tag), cell.trim());
}

function drawLine(parent: HTMLElement, source: string): void {
  const { text, styles } = styledLine(source);
  const cuts = [...new Set([0, text.length, ...styles.flatMap(({ start, end }) => [start, end])])].sort((a, b) => a - b);
  for (const [at, from] of cuts.slice(0, -1).entries()) {
    const to = cuts[at + 1] ?? text.length;
    const tags = new Set(styles.filter(({ start, end }) => start <= from && to <= end).map(({ tag }) => tag));
    const el = [...tags].reduce((outer, tag) => (tag === "link" ? outer.createSpan({ cls: "quarry-link" }) : outer.createEl(tag)), parent);
    el.appendText(text.slice(from, to));
  }
}
