/** The open note, and the notes related to it, as far as Obsidian knows them. */
import { type App, MarkdownView, parseFrontMatterAliases } from "obsidian";
import { type Clock } from "../../clock";
import { kindOf } from "../../document-kind";
import { RelatedSource, type RelatedTo } from "../../search/related-source";
import { type Requester } from "../../sidecar/client";
import { noteAt } from "./open";

export const RELATED_VIEW_TYPE = "quarry-related";

export function relatedSource({ vault, metadataCache }: App, client: Requester, clock: Clock, snippetWidth: () => number): RelatedSource {
  return new RelatedSource({
    client,
    clock,
    snippetWidth,
    modifiedMs: (path) => noteAt(vault, path)?.stat.mtime ?? 0,
    isLinked: (from, to) => (metadataCache.resolvedLinks[from]?.[to] ?? 0) > 0,
  });
}

/** Opens the view of related notes in the sidebar. */
export function openRelated({ workspace }: App): void {
  void workspace.ensureSideLeaf(RELATED_VIEW_TYPE, "right", { active: false, reveal: true });
}

const MIN_WORDS = 3; // of a selection: fewer say no more than a title does
const MIN_CHARS = 20;
// A character of a script without spaces counts as a word.
const WORDS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu;

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
  return text.length < MIN_CHARS || (text.match(WORDS)?.length ?? 0) < MIN_WORDS ? null : text;
}

function selectionIn(el: HTMLElement): string {
  const selection = el.win.getSelection();
  return selection?.anchorNode && el.contains(selection.anchorNode) ? selection.toString() : "";
}
