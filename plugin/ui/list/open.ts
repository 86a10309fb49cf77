/** Opens a hit at its passage: in a note, on a canvas, in a PDF file. */
import { type App, MarkdownView, type PaneType, type TFile, type Vault, type WorkspaceLeaf } from "obsidian";
import { kindOf, pageOf } from "../../document-kind";
import { type Passage } from "../../protocol/messages";
import { lineAt, locateMarks, locatePassage, toEditorText } from "../../search/passage";
import { lightInReadingView } from "./reading-marks";

/** Opens the file, behind the others where `isActive` is not set; false when it no longer exists. */
export async function openHit(app: App, path: string, passage: Passage | null, where: PaneType | boolean, isActive = true): Promise<boolean> {
  const file = noteAt(app.vault, path);
  if (!file) return false;
  if (kindOf(path) !== "note") {
    await openDocument(app, file, passage, where, isActive);
    return true;
  }
  const leaf = app.workspace.getLeaf(where);
  if (!passage) {
    await leaf.openFile(file, { active: isActive });
    return true;
  }
  // Of a file that cannot be read, Obsidian says so itself.
  const text = await editorTextOf(app.vault, file);
  await leaf.openFile(file, text === null ? { active: isActive } : { active: isActive, eState: placeIn(text, passage) });
  if (leaf.view instanceof MarkdownView) lightIn(leaf.view, passage);
  return true;
}

/** Goes to a passage of the note that a view shows. */
export function showPassage(view: MarkdownView, passage: Passage): void {
  view.setEphemeralState(placeIn(toEditorText(view.getViewData()), passage));
  lightIn(view, passage);
}

/** Where a passage is in the text of its note, as Obsidian's views take it. */
function placeIn(text: string, passage: Passage): Record<string, unknown> {
  const spans = locateMarks(text, passage);
  // `match` is how Obsidian's own search lights all matches in the editor, until the next click or change. It is undocumented, so the older `line` is
  // set as well, for versions that do not support `match`.
  return { line: lineAt(text, spans[0]?.start ?? 0), match: { content: text, matches: spans.map(({ start, end }) => [start, end]) } };
}

function lightIn(view: MarkdownView, passage: Passage): void {
  if (view.getMode() === "source") selectInEditor(view, passage);
  else lightInReadingView(view, passage);
}

/** The text of a note as the editor has it; null where it cannot be read. */
export async function editorTextOf(vault: Vault, note: TFile): Promise<string | null> {
  return vault.cachedRead(note).then(toEditorText, () => null);
}

/** The file at an NFC path, also when the file system stores its accents decomposed. */
export function noteAt(vault: Vault, path: string): TFile | null {
  const file = vault.getFileByPath(path);
  if (file) return file;
  return vault.getFiles().find((note) => note.path.normalize("NFC") === path) ?? null;
}

/** Selects the passage in the editor, whose text may be newer than the file, so the passage is located again. */
function selectInEditor({ editor }: MarkdownView, passage: Passage): void {
  const span = locatePassage(editor.getValue(), passage);
  const from = editor.offsetToPos(span.start);
  const to = editor.offsetToPos(span.end);
  editor.setSelection(from, to);
  editor.scrollIntoView({ from, to }, true);
}

/** What Obsidian's canvas offers beyond its documented API, so that any of it may be missing. */
interface CanvasView {
  readonly canvas?: {
    readonly nodes?: { readonly get?: (id: string) => unknown };
    readonly selectOnly?: (node: unknown) => void;
    readonly zoomToSelection?: () => void;
  };
}

/** Opens a file that is no note. */
export async function openDocument(app: App, file: TFile, passage: Passage | null, where: PaneType | boolean, isActive: boolean): Promise<void> {
  const leaf = app.workspace.getLeaf(where);
  const subpath = documentSubpath(file.path, passage);
  await leaf.openFile(file, subpath === "" ? { active: isActive } : { active: isActive, eState: { subpath } });
  if (kindOf(file.path) === "canvas" && passage?.anchor) showCard(leaf, passage.anchor);
}

/** What leads to the passage in a link to its file; empty where a link cannot lead there. */
export function documentSubpath(path: string, passage: Passage | null): string {
  const page = kindOf(path) === "pdf" ? pageOf(passage?.anchor ?? null) : null;
  return page === null ? "" : `#page=${page}`;
}

/** Selects the card and moves the view to it, where this version of Obsidian can; else the canvas is merely open. */
function showCard({ view }: WorkspaceLeaf, id: string): void {
  const { canvas } = view as unknown as CanvasView;
  try {
    const node = canvas?.nodes?.get?.(id);
    if (!canvas || node === undefined) return;
    canvas.selectOnly?.(node);
    canvas.zoomToSelection?.();
  } catch (error) {
    console.warn("Quarry: the canvas could not be moved to the card", error);
  }
}
