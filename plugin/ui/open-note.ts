/** Which note is open, and what is selected in it? */
import { type App, MarkdownView, parseFrontMatterAliases } from "obsidian";
import { kindOf } from "../document-kind";
import { type RelatedTo } from "../search/related-source";

const MIN_SELECTION = 3; // characters; less says nothing

/**
 * The open note as something to find related notes for. While another pane is active, the note that was open last stays,
 * with what `before` says is selected in it.
 */
export function openNote(app: App, before: RelatedTo | null): RelatedTo | null {
  const file = app.workspace.getActiveFile();
  if (!file || kindOf(file.path) === null) return null;
  const view = app.workspace.getActiveViewOfType(MarkdownView);
  const text = view ? selectedText(view) : before?.path === file.path ? before.text : null;
  const aliases = parseFrontMatterAliases(app.metadataCache.getFileCache(file)?.frontmatter ?? null) ?? [];
  return { path: file.path, text, names: [file.basename, ...aliases] };
}

/** The text that is selected in a note; null when it is too short to mean something. */
function selectedText(view: MarkdownView): string | null {
  const text = (view.getMode() === "source" ? view.editor.getSelection() : selectionIn(view.contentEl)).trim();
  return text.length < MIN_SELECTION ? null : text;
}

function selectionIn(el: HTMLElement): string {
  const selection = el.win.getSelection();
  return selection?.anchorNode && el.contains(selection.anchorNode) ? selection.toString() : "";
}
