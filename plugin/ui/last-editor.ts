/** Which editor did the user write in last? The pane has the focus when something is to be inserted, so it is remembered. */
import { type App, MarkdownView, type WorkspaceLeaf } from "obsidian";

export class LastEditor {
  private leaf: WorkspaceLeaf | null = null;

  constructor(private readonly app: App) {}

  /** Takes the leaf that became active. */
  observe(leaf: WorkspaceLeaf | null): void {
    if (leaf?.view instanceof MarkdownView) this.leaf = leaf;
  }

  /** The view of a note that was used last, in editing or reading view; null when none is open any more. */
  get view(): MarkdownView | null {
    const view = this.isOpen(this.leaf) ? this.leaf?.view : this.app.workspace.getMostRecentLeaf()?.view;
    return view instanceof MarkdownView && view.file ? view : null;
  }

  private isOpen(leaf: WorkspaceLeaf | null): boolean {
    let isOpen = false;
    this.app.workspace.iterateAllLeaves((other) => { isOpen ||= other === leaf && other.view instanceof MarkdownView; });
    return isOpen;
  }
}
