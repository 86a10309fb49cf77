/**
 * What is being dragged inside the app, and where it may be dropped.
 *
 * Obsidian's own, which is not in its public API: plugins use it so that their rows behave like those of the file explorer.
 */
import { Known } from "../known";
import type { FileManager } from "./file-manager";
import type { TAbstractFile, TFile } from "./files";
import { parseLinktext } from "./functions";
import type { MetadataCache } from "./metadata-cache";

interface Dragged {
  readonly icon: string;
  readonly title: string;
  readonly source?: unknown;
}

export type Draggable =
  | (Dragged & { readonly type: "file"; readonly file: TFile })
  | (Dragged & { readonly type: "files"; readonly files: readonly TAbstractFile[] })
  /** `file` is null for a link that leads nowhere. */
  | (Dragged & { readonly type: "link"; readonly linktext: string; readonly sourcePath: string; readonly file: TFile | null });

interface Drop {
  readonly action: string | null;
  readonly dropEffect: DataTransfer["dropEffect"];
}

export class DragManager extends Known {
  draggable: Draggable | null = null;
  ghostEl: HTMLElement | null = null;

  constructor(private readonly metadataCache: MetadataCache) {
    super();
    // Bubbling, not captured: a drag whose event is stopped on its way is never cleaned up, as in the app.
    window.addEventListener("dragstart", ({ target }) => {
      target?.addEventListener("dragend", () => this.onDragEnd(), { once: true });
    });
  }

  dragFile(event: DragEvent, file: TFile, source?: unknown): Draggable {
    event.dataTransfer?.setData("text/plain", `obsidian://open?file=${encodeURIComponent(file.path)}`);
    return { type: "file", icon: "lucide-file", title: file.basename, file, source };
  }

  dragFiles(event: DragEvent, files: TAbstractFile[], source?: unknown): Draggable | null {
    if (files.length === 0) return null;
    event.dataTransfer?.setData("text/plain", files.map((file) => `obsidian://open?file=${encodeURIComponent(file.path)}`).join("\n"));
    return { type: "files", icon: "lucide-files", title: `${files.length} files`, files, source };
  }

  dragLink(event: DragEvent, linktext: string, sourcePath: string, title?: string, source?: unknown): Draggable {
    const file = this.metadataCache.getFirstLinkpathDest(parseLinktext(linktext).path, sourcePath);
    event.dataTransfer?.setData("text/plain", file ? `obsidian://open?file=${encodeURIComponent(linktext)}` : linktext);
    return { type: "link", icon: "lucide-link", title: title ?? file?.basename ?? linktext, linktext, sourcePath, file, source };
  }

  onDragStart(event: DragEvent, draggable: Draggable): void {
    this.draggable = draggable;
    this.ghostEl = document.body.createDiv({ cls: "drag-ghost", text: draggable.title });
    event.dataTransfer?.setDragImage(this.ghostEl, 0, 0);
    document.body.addClass("is-grabbing");
  }

  onDragEnd(): void {
    this.draggable = null;
    this.ghostEl?.remove();
    this.ghostEl = null;
    document.body.removeClass("is-grabbing");
  }

  handleDrag(el: HTMLElement, draggable: (event: DragEvent) => Draggable | null): void {
    el.draggable = true;
    el.addEventListener("dragstart", (event) => {
      const dragged = draggable(event);
      if (dragged) this.onDragStart(event, dragged);
    });
  }

  /** *drop* is asked while something is over *el*, and once more, with `isOver` false, when it is dropped. */
  handleDrop(el: HTMLElement, drop: (event: DragEvent, draggable: Draggable, isOver: boolean) => Drop | null): void {
    el.addEventListener("dragover", (event) => {
      const found = this.draggable && drop(event, this.draggable, true);
      if (!found) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = found.dropEffect;
    });
    el.addEventListener("drop", (event) => {
      if (!this.draggable || !drop(event, this.draggable, false)) return;
      event.preventDefault();
      this.onDragEnd();
    });
  }

  /** Host: what an editor of *sourcePath* writes for what is dropped on it. */
  hostDroppedText(draggable: Draggable, fileManager: FileManager, sourcePath: string): string {
    switch (draggable.type) {
      case "file":
        return fileManager.generateMarkdownLink(draggable.file, sourcePath);
      case "files":
        return draggable.files.map((file) => fileManager.generateMarkdownLink(file as TFile, sourcePath)).join("\n");
      case "link": {
        const { file, linktext } = draggable;
        return file ? fileManager.generateMarkdownLink(file, sourcePath, parseLinktext(linktext).subpath) : linktext;
      }
    }
  }
}
