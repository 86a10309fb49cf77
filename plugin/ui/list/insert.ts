/**
 * Inserts links and quotations into the note that was edited last: into its editor, never into its file, in one step that
 * undo takes back. The focus goes there, behind what was inserted, because that is where the writing goes on.
 */
import { type App, MarkdownView, type WorkspaceLeaf } from "obsidian";
import { t } from "../../i18n/translate";
import { type PlaceRow } from "../../pane/rows";
import { locateMarks } from "../../search/passage";
import { blockquote, blocksAt, type CaretLines, linksAt, quotedLines } from "../../writing/insertion";
import { linksTo, linkTo } from "./links";
import { editorTextOf, noteAt } from "./open";

export type Insertion = "link" | "quote";

/** Inserts links to or quotations of `rows`. Returns why nothing could be inserted; null on success. */
export async function insertRows(app: App, view: MarkdownView | null, rows: readonly PlaceRow[], what: Insertion): Promise<string | null> {
  if (!view?.file) return t("write.noEditor");
  if (view.getMode() !== "source") return t("write.readingView", { note: view.file.basename });
  const { path } = view.file;
  const texts = what === "link" ? linksTo(app, rows, path) : (await Promise.all(rows.map((row) => quoteOf(app, row, path)))).filter((quote) => quote !== null);
  if (texts.length === 0) return t("notice.noteGone");
  // Reading the notes took a moment, in which the tab may have been closed or turned to another note.
  if (view.file.path !== path || !view.containerEl.isConnected) return t("write.noEditor");
  insertAtCaret(view, (lines) => (what === "link" ? linksAt(texts, lines) : blocksAt(texts, lines)));
  await app.workspace.revealLeaf(view.leaf);
  app.workspace.setActiveLeaf(view.leaf, { focus: true });
  view.editor.focus();
  return null;
}

/** Behind what is selected, which stays: a jump to a passage selects its words. */
function insertAtCaret({ editor }: MarkdownView, textFor: (lines: CaretLines) => string): void {
  const at = editor.getCursor("to");
  const line = editor.getLine(at.line);
  const text = textFor({ above: at.line === 0 ? null : editor.getLine(at.line - 1), before: line.slice(0, at.ch), after: line.slice(at.ch) });
  const offset = editor.posToOffset(at);
  editor.transaction({ changes: [{ from: at, text }] });
  const end = editor.offsetToPos(offset + text.length);
  editor.setCursor(end);
  editor.scrollIntoView({ from: at, to: end });
}

async function quoteOf(app: App, row: PlaceRow, sourcePath: string): Promise<string | null> {
  const file = noteAt(app.vault, row.hit.path);
  const link = linkTo(app, row, sourcePath);
  if (!file || link === null) return null;
  if (!row.passage) return blockquote([], link);
  const text = row.hit.kind === "note" ? await editorTextOf(app.vault, file) : null; // what is no note, or cannot be read now, is quoted as it was found
  return blockquote(text === null ? row.passage.snippet.split("\n") : quotedLines(text, locateMarks(text, row.passage)), link);
}

export class LastEditor {
  #leaf: WorkspaceLeaf | null = null;

  constructor(private readonly app: App) {}

  /** Takes the leaf that became active. */
  observe(leaf: WorkspaceLeaf | null): void {
    if (leaf?.view instanceof MarkdownView) this.#leaf = leaf;
  }

  /** The view of a note that was used last, in editing or reading view; null when none is open any more. */
  get view(): MarkdownView | null {
    const view = this.#isOpen(this.#leaf) ? this.#leaf?.view : this.app.workspace.getMostRecentLeaf()?.view;
    return view instanceof MarkdownView && view.file ? view : null;
  }

  #isOpen(leaf: WorkspaceLeaf | null): boolean {
    let isOpen = false;
    this.app.workspace.iterateAllLeaves((other) => { isOpen ||= other === leaf && other.view instanceof MarkdownView; });
    return isOpen;
  }
}
