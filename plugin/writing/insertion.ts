/**
 * What is written at the caret so that what is inserted reads well where it stands? Pure.
 *
 * Nothing that stands there is replaced: a jump to a passage leaves its words selected, and nobody wants to lose those.
 */

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
