/** A search becomes part of a note: a live block at the cursor, or a note of its own. */
import { type App, type Editor, normalizePath } from "obsidian";
import { type Mode } from "../protocol/messages";
import { blockText } from "../search/block-spec";
import { t } from "../i18n/translate";

const NOT_IN_NAMES = /[\\/:*?"<>|#^[\]\p{Cc}]+/gu; // on some system, or in a link
const FIRST_CHARS = /^.{0,60}/u; // code points, so no surrogate pair is split

/** Puts a block in place of the selection, on lines of its own. */
export function insertBlock(editor: Editor, block: string): void {
  const { line, ch } = editor.getCursor("from");
  const isInLine = editor.getLine(line).slice(0, ch).trim() !== "";
  editor.replaceSelection((isInLine ? "\n" : "") + block);
}

/** Makes and opens a note that holds the search as a live block. */
export async function newSearchNote(app: App, query: string, mode: Mode): Promise<void> {
  const { vault, workspace, fileManager } = app;
  const folder = fileManager.getNewFileParent(workspace.getActiveFile()?.path ?? "");
  const [words = ""] = FIRST_CHARS.exec(query.replace(NOT_IN_NAMES, " ").replace(/\s+/gu, " ").trim()) ?? [];
  const name = t("block.noteName", { query: words }).trim();
  const file = await vault.create(freePath(app, normalizePath(`${folder.path}/${name}`)), blockText(query, mode));
  await workspace.getLeaf("tab").openFile(file, { active: true });
}

function freePath(app: App, path: string): string {
  for (let at = 0; ; at += 1) {
    const candidate = `${path}${at === 0 ? "" : ` ${at}`}.md`;
    if (!app.vault.getAbstractFileByPath(candidate)) return candidate;
  }
}
