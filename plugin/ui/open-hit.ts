/** Opens a note at the passage that was found: selected in the editor, scrolled to and marked in reading view. */
import { type App, MarkdownView, type PaneType, type TFile, type Vault, type WorkspaceLeaf } from "obsidian";
import { type Passage } from "../protocol/messages";
import { asEditorText, lineAt, locate } from "../search/passage";

/** Gives false when the note is no longer there. */
export async function openHit(app: App, path: string, passage: Passage | null, where: PaneType | boolean): Promise<boolean> {
  const file = noteAt(app.vault, path);
  if (!file) return false;
  const leaf = app.workspace.getLeaf(where);
  if (!passage) {
    await leaf.openFile(file, { active: true });
    return true;
  }
  const text = asEditorText(await app.vault.cachedRead(file));
  const { start, end } = locate(text, passage);
  // `match` is how Obsidian's own search marks a passage in either view. It is not documented, so `line`, which is
  // older, goes with it: a version that does not know the one still obeys the other.
  const eState = { line: lineAt(text, start), match: { content: text, matches: [[start, end]] } };
  await leaf.openFile(file, { active: true, eState });
  selectInEditor(leaf, passage);
  return true;
}

/** The note with this path, also where the disk spells its accents in two characters. */
export function noteAt(vault: Vault, path: string): TFile | null {
  const file = vault.getFileByPath(path);
  if (file) return file;
  return vault.getMarkdownFiles().find((note) => note.path.normalize("NFC") === path) ?? null;
}

/** The editor's text is newer than the disk's while something is unsaved, so the passage is looked up in it again. */
function selectInEditor({ view }: WorkspaceLeaf, passage: Passage): void {
  if (!(view instanceof MarkdownView) || view.getMode() !== "source") return;
  const { editor } = view;
  const span = locate(editor.getValue(), passage);
  const from = editor.offsetToPos(span.start);
  const to = editor.offsetToPos(span.end);
  editor.setSelection(from, to);
  editor.scrollIntoView({ from, to }, true);
}
