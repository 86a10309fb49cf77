/** Links to the places that rows represent, in the user's link format. */
import { type App, type CachedMetadata, stripHeadingForLink } from "obsidian";
import { type PlaceRow } from "../../pane/rows";
import { type Passage } from "../../protocol/messages";
import { documentSubpath, noteAt } from "./open";

/** A link to the row's passage, as it is written in the note at `sourcePath`. Null when the note is gone. */
export function linkTo(app: App, row: PlaceRow, sourcePath: string): string | null {
  const file = noteAt(app.vault, row.hit.path);
  return file && app.fileManager.generateMarkdownLink(file, sourcePath, subpathTo(app, row));
}

/** The links to all rows whose note is there, each once. */
export function linksTo(app: App, rows: readonly PlaceRow[], sourcePath: string): readonly string[] {
  return [...new Set(rows.flatMap((row) => linkTo(app, row, sourcePath) ?? []))];
}

/** From its `#` on; empty for the note as a whole. */
export function subpathTo(app: App, { hit, passage }: PlaceRow): string {
  if (hit.kind !== "note") return documentSubpath(hit.path, passage);
  const file = noteAt(app.vault, hit.path);
  return file ? subpathOf(passage, hit.title, outlineOf(app.metadataCache.getFileCache(file)), stripHeadingForLink) : "";
}

function outlineOf(cache: CachedMetadata | null): NoteOutline {
  const blocks = Object.values(cache?.blocks ?? {}).map(({ id, position: { start, end } }) => ({ id, firstLine: start.line, lastLine: end.line }));
  return { headings: cache?.headings ?? [], blocks };
}

/** What is known of a note now; lines count from zero. */
export interface NoteOutline {
  readonly headings: readonly { readonly heading: string; readonly level: number }[];
  readonly blocks: readonly { readonly id: string; readonly firstLine: number; readonly lastLine: number }[];
}

/**
 * The subpath of a link to `passage`, from its `#` on: the block that it is in, else its heading, else nothing.
 *
 * A heading that the note has twice is named with the headings above it. The heading that repeats the note's `title` is the
 * note itself. `strip` takes out of a heading what would end a link.
 */
export function subpathOf(passage: Passage | null, title: string, { headings, blocks }: NoteOutline, strip: (heading: string) => string): string {
  if (!passage) return "";
  const block = blocks.find(({ firstLine, lastLine }) => firstLine <= passage.line && passage.line <= lastLine);
  if (block) return `#^${block.id}`;
  const path = passage.headingPath;
  const last = path.at(-1);
  if (last === undefined || (path.length === 1 && last === title)) return "";
  const isAmbiguous = headings.filter(({ heading }) => heading === last).length > 1;
  return `#${(isAmbiguous ? path : [last]).map(strip).join("#")}`;
}
