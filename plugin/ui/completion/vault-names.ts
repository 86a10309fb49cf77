/** The folders, tags and properties of the vault, counted from Obsidian's own cache in one pass over the notes. */
import { type App, getAllTags } from "obsidian";
import { type CountedName, type VaultNames } from "./completion";

const MAX_VALUE_CHARS = 60; // longer values are sentences rather than names
const MAX_DEPTH = 5; // of maps in maps
const MAX_LEVELS = 20; // of a tag or folder: deeper ones are counted with the one around them
const MAX_VALUES = 1_000; // of one property of one note

export function vaultNames({ vault, metadataCache }: App): VaultNames {
  const folders = new Counts();
  const tags = new Counts();
  const properties = new Counts();
  const values = new Map<string, Counts>();
  for (const file of vault.getMarkdownFiles()) {
    if (file.parent && !file.parent.isRoot()) folders.add(withAncestors(file.parent.path));
    const cache = metadataCache.getFileCache(file);
    if (!cache) continue;
    tags.add((getAllTags(cache) ?? []).slice(0, MAX_VALUES).flatMap((tag) => withAncestors(tag.replace(/^#/, ""))));
    for (const [name, value] of named(cache.frontmatter ?? {})) {
      if (name === "position" || name.startsWith("position.")) continue; // of the block in the note, which older versions put among the properties
      properties.add([name]);
      const key = name.toLowerCase();
      const counts = values.get(key) ?? new Counts();
      values.set(key, counts);
      counts.add(textsOf(value));
    }
  }
  return {
    folders: folders.mostUsedFirst,
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
    .slice(0, MAX_VALUES)
    .filter((one) => typeof one === "string" || typeof one === "number" || typeof one === "boolean")
    .map((one) => String(one).trim())
    .filter((text) => text !== "" && text.length <= MAX_VALUE_CHARS && !text.includes("\n"));
}

/** `a/b/c`, `a/b` and `a`: a note in a folder is in those around it, and a nested tag is one of the tag around it. */
function withAncestors(path: string): readonly string[] {
  const parts = path.split("/", MAX_LEVELS);
  return parts.map((_, at) => parts.slice(0, parts.length - at).join("/"));
}

/** Counts the notes with a text; texts that differ in case only are one, as in the index. */
class Counts {
  readonly #counts = new Map<string, { readonly text: string; count: number }>();

  /** Takes the texts of one note, each of which counts once. */
  add(texts: readonly string[]): void {
    for (const [key, text] of new Map(texts.map((each) => [each.toLowerCase(), each]))) {
      const known = this.#counts.get(key);
      if (known) known.count += 1;
      else this.#counts.set(key, { text, count: 1 });
    }
  }

  get mostUsedFirst(): readonly CountedName[] {
    return [...this.#counts.values()].sort((a, b) => b.count - a.count || a.text.localeCompare(b.text)).map(({ text, count }) => [text, count]);
  }
}
