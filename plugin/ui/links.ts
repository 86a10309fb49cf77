/** Links to what rows stand for, in the user's link format. */
import { type App, type CachedMetadata, stripHeadingForLink } from "obsidian";
import { type PlaceRow } from "../pane/rows";
import { type NoteOutline, subpathOf } from "../writing/subpath";
import { documentSubpath } from "./open-document";
import { noteAt } from "./open-hit";

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
