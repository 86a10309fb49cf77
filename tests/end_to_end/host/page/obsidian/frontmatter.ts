/** Properties of a note, as Obsidian's public functions read them. */
import type { CachedMetadata, FrontMatterCache, FrontMatterInfo } from "obsidian";
import { parse, stringify } from "yaml";

const BLOCK = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/;
const TAG_KEY = /^tags?$/i;
const ALIAS_KEY = /^alias(es)?$/i;

export function parseYaml(text: string): unknown {
  return parse(text, { logLevel: "error" }) as unknown;
}

export function getFrontMatterInfo(content: string): FrontMatterInfo {
  const found = BLOCK.exec(content);
  if (!found) return { exists: false, frontmatter: "", from: 0, to: 0, contentStart: 0 };
  const from = content.indexOf("\n") + 1;
  const frontmatter = found[1] ?? "";
  return { exists: true, frontmatter, from, to: from + frontmatter.length, contentStart: found[0].length };
}

/** The properties of a note; undefined where there are none, or they cannot be read. */
export function readFrontMatter(content: string): FrontMatterCache | undefined {
  const { exists, frontmatter } = getFrontMatterInfo(content);
  if (!exists) return undefined;
  try {
    const value = parseYaml(frontmatter);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as FrontMatterCache) : undefined;
  } catch {
    return undefined; // as the app: such a note has no properties, and a warning where they would be seen
  }
}

export function parseFrontMatterEntry(frontmatter: FrontMatterCache | null, key: string | RegExp): unknown {
  const name = Object.keys(frontmatter ?? {}).find((candidate) => (typeof key === "string" ? candidate === key : key.test(candidate)));
  return name === undefined ? null : (frontmatter?.[name] as unknown);
}

export function parseFrontMatterStringArray(frontmatter: FrontMatterCache | null, key: string | RegExp): string[] | null {
  return strings(parseFrontMatterEntry(frontmatter, key), /,/);
}

export function parseFrontMatterAliases(frontmatter: FrontMatterCache | null): string[] | null {
  return parseFrontMatterStringArray(frontmatter, ALIAS_KEY);
}

/** With their sign, which may be missing in the note. */
export function parseFrontMatterTags(frontmatter: FrontMatterCache | null): string[] | null {
  return strings(parseFrontMatterEntry(frontmatter, TAG_KEY), /[,\s]/)?.map((tag) => (tag.startsWith("#") ? tag : `#${tag}`)) ?? null;
}

/** Tags in the properties and in the text, with their sign, as often as they stand there. */
export function getAllTags(cache: CachedMetadata): string[] | null {
  return [...(parseFrontMatterTags(cache.frontmatter ?? null) ?? []), ...(cache.tags ?? []).map(({ tag }) => tag)];
}

function strings(value: unknown, separator: RegExp): string[] | null {
  const parts = typeof value === "string" ? value.split(separator) : Array.isArray(value) ? value : null;
  return parts && parts.filter((part) => typeof part === "string" || typeof part === "number").map((part) => String(part).trim()).filter(Boolean);
}
