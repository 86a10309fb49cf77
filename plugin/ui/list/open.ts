/** Opens a hit at its passage: in a note, on a canvas, in a PDF file. */
import { type App, MarkdownView, type PaneType, type TFile, type Vault, type WorkspaceLeaf } from "obsidian";
import { kindOf, pageOf } from "../../document-kind";
import { type PlaceRow } from "../../pane/rows";
import { type Passage } from "../../protocol/messages";
import { lineAt, locateMarks, locatePassage, toEditorText } from "../../search/passage";
import { addressOf, originOf } from "../../search/tiers";
import { lightInReadingView } from "./reading-marks";

/** Opens the file, behind the others where `isActive` is not set; false when it no longer exists. */
export async function openHit(app: App, path: string, passage: Passage | null, where: PaneType | boolean, isActive = true): Promise<boolean> {
  const file = noteAt(app.vault, path);
  if (!file) return false;
  const leaf = app.workspace.getLeaf(where);
  const eState = passage && (await placeInFile(app, file, passage));
  await leaf.openFile(file, eState ? { active: isActive, eState } : { active: isActive });
  if (passage && leaf.view instanceof MarkdownView) lightIn(leaf.view, passage);
  if (passage?.anchor && kindOf(path) === "canvas") showCard(leaf, passage.anchor);
  return true;
}

export function isOfVault({ hit }: PlaceRow): boolean {
  return originOf(hit) === null;
}

/** Opens the note of a row from elsewhere: in its vault, or in the system's program for it; `look` shows one that is no file here. */
export function openElsewhere(row: PlaceRow, look: (row: PlaceRow) => void): void {
  const origin = originOf(row.hit);
  if (!origin || origin.path === null) look(row);
  else window.open(addressOf(row.hit.path, origin.kind === "vault"));
}

/** Where a passage is in its file, as Obsidian's views take it; null where it leads to the file as a whole. */
async function placeInFile(app: App, file: TFile, passage: Passage): Promise<Record<string, unknown> | null> {
  const subpath = documentSubpath(file.path, passage);
  if (kindOf(file.path) !== "note") return subpath === "" ? null : { subpath };
  const text = await editorTextOf(app.vault, file);
  return text === null ? null : placeIn(text, passage); // of a file that cannot be read, Obsidian says so itself
}

/** Goes to a passage of the note that a view shows. */
export function showPassage(view: MarkdownView, passage: Passage): void {
  view.setEphemeralState(placeIn(toEditorText(view.getViewData()), passage));
  lightIn(view, passage);
}

function placeIn(text: string, passage: Passage): Record<string, unknown> {
  const spans = locateMarks(text, passage);
  // `match` is how Obsidian's own search lights all matches in the editor, until the next click or change. It is undocumented, so the older `line` is
  // set as well, for versions that do not support `match`.
  return { line: lineAt(text, spans[0]?.start ?? 0), match: { content: text, matches: spans.map(({ start, end }) => [start, end]) } };
}

function lightIn(view: MarkdownView, passage: Passage): void {
  if (view.getMode() === "source") goToInEditor(view, passage);
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

/**
 * Puts the cursor at the beginning of the passage, in a text that may be newer than the file, so the passage is located
 * again. Nothing is selected: the next key would replace it.
 */
function goToInEditor({ editor }: MarkdownView, passage: Passage): void {
  const span = locatePassage(editor.getValue(), passage);
  const from = editor.offsetToPos(span.start);
  editor.setCursor(from);
  editor.scrollIntoView({ from, to: editor.offsetToPos(span.end) }, true);
}

/** What Obsidian's canvas offers beyond its documented API, so that any of it may be missing. */
interface CanvasView {
  readonly canvas?: {
    readonly nodes?: { readonly get?: (id: string) => unknown };
    readonly selectOnly?: (node: unknown) => void;
    readonly zoomToSelection?: () => void;
  };
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
