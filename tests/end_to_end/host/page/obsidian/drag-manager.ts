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
  readonly title: string;
}

export type Draggable =
  | (Dragged & { readonly type: "file"; readonly file: TFile })
  | (Dragged & { readonly type: "files"; readonly files: readonly TAbstractFile[] })
  /** `file` is null for a link that leads nowhere. */
  | (Dragged & { readonly type: "link"; readonly linktext: string; readonly sourcePath: string; readonly file: TFile | null });

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

  onDragEnd(): void {
    this.draggable = null;
    this.ghostEl?.remove();
    this.ghostEl = null;
    document.body.removeClass("is-grabbing");
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

  dragFile(event: DragEvent, file: TFile): Draggable {
    event.dataTransfer?.setData("text/plain", `obsidian://open?file=${encodeURIComponent(file.path)}`);
    return { type: "file", title: file.basename, file };
  }

  dragLink(event: DragEvent, linktext: string, sourcePath: string, title?: string): Draggable {
    const file = this.metadataCache.getFirstLinkpathDest(parseLinktext(linktext).path, sourcePath);
    event.dataTransfer?.setData("text/plain", file ? `obsidian://open?file=${encodeURIComponent(linktext)}` : linktext);
    return { type: "link", title: title ?? file?.basename ?? linktext, linktext, sourcePath, file };
  }

  dragFiles(event: DragEvent, files: TAbstractFile[]): Draggable | null {
    if (files.length === 0) return null;
    event.dataTransfer?.setData("text/plain", files.map((file) => `obsidian://open?file=${encodeURIComponent(file.path)}`).join("\n"));
    return { type: "files", title: `${files.length} files`, files };
  }

  onDragStart(event: DragEvent, draggable: Draggable): void {
    this.draggable = draggable;
    this.ghostEl = document.body.createDiv({ cls: "drag-ghost", text: draggable.title });
    event.dataTransfer?.setDragImage(this.ghostEl, 0, 0);
    document.body.addClass("is-grabbing");
  }
}
