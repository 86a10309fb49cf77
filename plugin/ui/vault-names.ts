/** Which folders, tags and properties does the vault have? Counted from Obsidian's own cache, in one pass over its notes. */
import { type App, getAllTags } from "obsidian";
import { type VaultNames } from "./completing";

const LONGEST_VALUE = 60; // longer is a sentence, which nobody picks from a list

export function vaultNames({ vault, metadataCache }: App): VaultNames {
  const tags = new Counts();
  const properties = new Counts();
  const values = new Map<string, Counts>();
  for (const file of vault.getMarkdownFiles()) {
    const cache = metadataCache.getFileCache(file);
    if (!cache) continue;
    for (const tag of new Set(getAllTags(cache))) tags.add(tag.replace(/^#/, ""));
    for (const [name, value] of Object.entries(cache.frontmatter ?? {})) {
      if (name === "position") continue; // where the properties stand; older versions kept it among them
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

function textsOf(value: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all
    .filter((one) => typeof one === "string" || typeof one === "number" || typeof one === "boolean")
    .map((one) => String(one).trim())
    .filter((text) => text !== "" && text.length <= LONGEST_VALUE && !text.includes("\n"));
}

/** How often each text came; what differs in case only is one, as it is to the engine. */
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
