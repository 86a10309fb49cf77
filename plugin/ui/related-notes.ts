/** Related notes, as far as Obsidian knows of them. */
import { type App } from "obsidian";
import { type Clock } from "../clock";
import { RelatedSource } from "../search/related-source";
import { type Requester } from "../sidecar/client";
import { noteAt } from "./open-hit";

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
