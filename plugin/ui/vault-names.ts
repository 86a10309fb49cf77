/** The folders, tags and properties of the vault, counted from Obsidian's own cache in one pass over the notes. */
import { type App, getAllTags } from "obsidian";
import { type VaultNames } from "./completion";

const MAX_VALUE_CHARS = 60; // longer values are sentences rather than names
const MAX_DEPTH = 5; // of maps in maps

export function vaultNames({ vault, metadataCache }: App): VaultNames {
  const tags = new Counts();
  const properties = new Counts();
  const values = new Map<string, Counts>();
  for (const file of vault.getMarkdownFiles()) {
    const cache = metadataCache.getFileCache(file);
    if (!cache) continue;
    for (const tag of new Set(getAllTags(cache))) tags.add(tag.replace(/^#/, ""));
    for (const [name, value] of named(cache.frontmatter ?? {})) {
      if (name === "position" || name.startsWith("position.")) continue; // of the block in the note, which older versions put among the properties
      properties.add(name);
      const key = name.toLowerCase();
      const counts = values.get(key) ?? new Counts();
      values.set(key, counts);
      for (const text of textsOf(value)) counts.add(text);
    }
  }
  return {
    folders: vault.getAllFolders().map(({ path }) => path),
    tags: tags.mostUsedFirst,
    properties: properties.mostUsedFirst,
    valuesOf: (property) => values.get(property.trim().toLowerCase())?.mostUsedFirst ?? [],
  };
}

/** The entries of `map` and of the maps in it, by dotted name, as the engine reads them; those of maps in a list together. */
function named(map: object, prefix = "", depth = 0): readonly (readonly [name: string, value: unknown])[] {
  return Object.entries(map).flatMap(([name, value]: [string, unknown]) => {
    const path = prefix + name;
    const maps = depth < MAX_DEPTH ? listOf(value).filter((one) => typeof one === "object" && one !== null && !Array.isArray(one)) : [];
    return [[path, value] as const, ...maps.flatMap((one) => named(one as object, `${path}.`, depth + 1))];
  });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function textsOf(value: unknown): readonly string[] {
  return listOf(value)
    .filter((one) => typeof one === "string" || typeof one === "number" || typeof one === "boolean")
    .map((one) => String(one).trim())
    .filter((text) => text !== "" && text.length <= MAX_VALUE_CHARS && !text.includes("\n"));
}

/** Counts texts; those that differ in case only are one, as in the index. */
class Counts {
  private readonly counts = new Map<string, { readonly text: string; count: number }>();

  add(text: string): void {
    const known = this.counts.get(text.toLowerCase());
    if (known) known.count += 1;
    else this.counts.set(text.toLowerCase(), { text, count: 1 });
  }

  get mostUsedFirst(): readonly string[] {
    return [...this.counts.values()].sort((a, b) => b.count - a.count || a.text.localeCompare(b.text)).map(({ text }) => text);
  }
}
