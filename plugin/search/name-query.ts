/**
 * What of a query can be answered from the names of notes? Pure.
 *
 * Words and phrases, tags, places and their exclusion. The rest needs the engine and is handed back, to be named.
 */
import { fold } from "./folding";

export interface NameQuery {
  /** Folded; a phrase counts as one. A note needs them all. */
  readonly words: readonly string[];
  readonly without: readonly string[];
  /** Folded, without the sign. */
  readonly tags: readonly string[];
  readonly places: readonly Place[];
  /** Parts that only the engine understands, as typed. */
  readonly ignored: readonly string[];
}

export interface Place {
  readonly of: "file" | "folder" | "path";
  readonly text: string;
}

// A regular expression, a property, a quoted text with what stands before it, or anything up to the next space.
const PART = /-?\/(?:\\.|[^/\\])+\/|\[[^\]]*\]|[^\s"()]*"[^"]*"?|[()]|[^\s"()]+/gu;
const NAMED = /^(?<name>[a-z-]+):(?<value>.+)$/iu;

export function parseNameQuery(query: string): NameQuery {
  const words: string[] = [];
  const without: string[] = [];
  const tags: string[] = [];
  const places: Place[] = [];
  const ignored: string[] = [];
  for (const [part] of query.matchAll(PART)) {
    const { name, value } = NAMED.exec(part)?.groups ?? {};
    const operand = fold((value ?? "").replaceAll('"', ""));
    const key = name?.toLowerCase();
    if (key === "tag") tags.push(operand.replace(/^#/, ""));
    else if (key === "file" || key === "folder" || key === "path") places.push({ of: key, text: operand });
    else if (/^[([)]|^-?\/.+\/$|^(?:OR|AND|NOT)$/u.test(part) || (key !== undefined && value?.startsWith("//") === false)) ignored.push(part);
    else if (/^#[^#\s]/u.test(part)) tags.push(fold(part.slice(1)));
    else addWord(part, words, without);
  }
  return { words, without, tags, places, ignored };
}

function addWord(part: string, words: string[], without: string[]): void {
  const isExcluded = /^-[^-\s]/u.test(part);
  const word = fold(part.slice(isExcluded ? 1 : 0).replaceAll('"', "")).trim();
  if (word !== "") (isExcluded ? without : words).push(word);
}
