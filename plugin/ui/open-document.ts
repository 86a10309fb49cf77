/** Opens a canvas at a card, and a PDF file at a page. */
import { type App, type PaneType, type TFile, type WorkspaceLeaf } from "obsidian";
import { kindOf, pageOf } from "../document-kind";
import { type Passage } from "../protocol/messages";

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
