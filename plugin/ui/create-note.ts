/** Creates a note that is called as a query, where Obsidian creates new notes, and opens it for writing. */
import { type App, MarkdownView, Notice, normalizePath } from "obsidian";
import { t } from "../i18n/translate";
import { newNoteName } from "../writing/new-note";

/** The name of the note that `query` could become; null where there is one of that name, and for operators alone. */
export function offeredNote(app: App, query: string): string | null {
  const name = newNoteName(query);
  return name !== null && app.metadataCache.getFirstLinkpathDest(name, "") === null ? name : null;
}

export async function createNote(app: App, name: string): Promise<void> {
  const sourcePath = app.workspace.getActiveFile()?.path ?? "";
  try {
    const folder = app.fileManager.getNewFileParent(sourcePath, `${name}.md`);
    const file = await app.vault.create(normalizePath(`${folder.path}/${name}.md`), "");
    const leaf = app.workspace.getLeaf(false);
    await leaf.openFile(file, { active: true, state: { mode: "source" } });
    if (leaf.view instanceof MarkdownView) leaf.view.editor.focus();
  } catch (error) {
    new Notice(t("write.notCreated", { name, reason: error instanceof Error ? error.message : String(error) }));
  }
}
