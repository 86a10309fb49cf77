/** The names of notes, as Obsidian's own cache has them: nothing is read from disk. */
import { type App, type CachedMetadata, type Component, TFile, getAllTags, parseFrontMatterAliases } from "obsidian";
import { Emitter } from "../emitter";
import { type Heading, type NoteNames } from "../search/name-match";
import { type NoteNamesSource } from "../search/name-index";

/** The names of the notes of `app`; changes are told until `owner` unloads. */
export function noteNamesOf({ vault, metadataCache }: App, owner: Component): NoteNamesSource {
  const changed = new Emitter<string>();
  const tell = ({ path }: { readonly path: string }): void => { changed.emit(path); };
  owner.registerEvent(metadataCache.on("changed", tell));
  owner.registerEvent(vault.on("create", tell)); // a note without text has no metadata to change
  owner.registerEvent(vault.on("delete", tell));
  owner.registerEvent(vault.on("rename", (file, oldPath) => {
    tell({ path: oldPath });
    tell(file);
  }));
  return {
    changed,
    paths: () => vault.getMarkdownFiles().map(({ path }) => path),
    namesOf: (path) => {
      const file = vault.getAbstractFileByPath(path);
      return file instanceof TFile && file.extension === "md" ? namesOf(file, metadataCache.getFileCache(file)) : null;
    },
  };
}

function namesOf({ path, stat }: TFile, cache: CachedMetadata | null): NoteNames {
  const headings = (cache?.headings ?? []).map(({ heading, level, position }): Heading => ({
    text: heading,
    level,
    line: position.start.line,
    start: position.start.offset + level + 1, // behind the signs and their space
  }));
  const written: unknown = cache?.frontmatter?.["title"];
  const title = typeof written === "string" && written.trim() !== "" ? written.trim() : headings.find(({ level }) => level === 1)?.text;
  return {
    path: path.normalize("NFC"), // as the engine's answers have it
    modifiedMs: stat.mtime,
    title: title ?? null,
    aliases: parseFrontMatterAliases(cache?.frontmatter ?? null) ?? [],
    headings,
    tags: [...new Set(cache ? getAllTags(cache) : [])],
  };
}
