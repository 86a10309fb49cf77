/**
 * Search by the names of notes, for the time without an engine: file name, title, aliases, headings and tags as Obsidian's
 * own cache has them, matched by its simple search. Nothing is read from disk.
 *
 * A note matches if its names contain every word; a short one has to begin a word of theirs. Operators need the engine: they are left out, and listed in the answer.
 */
import { type App, type Component, type FrontMatterCache, type HeadingCache, type SearchResult, type TFile, getAllTags, parseFrontMatterAliases, prepareSimpleSearch } from "obsidian";
import { type Clock } from "../clock";
import { Emitter } from "../emitter";
import { BLANK_HIT, BLANK_PASSAGE } from "../protocol/blank";
import { type Hit, type Mark, type Passage } from "../protocol/messages";

const SHORT_WORD = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{1,3}$/u; // found within too many: `how` in "show", `to` in "constructor"
const STEP_MS = 6; // leaves more than half of a frame for drawing
/** An exclusion, a regular expression, a property, `name:value` or a parenthesis, which only the engine understands. */
const OPERATOR = /(?<!\S)-?(?:\/(?:\\.|[^/\\])+\/|\[[^\]]*\]|[A-Za-z-]+:(?!\/\/)(?:"[^"]*"?|\S+))|(?<!\S)-[^-\s]\S*|(?<!\S)(?:OR|AND|NOT)(?!\S)|[()]/gu;

export interface NameAnswer {
  readonly hits: readonly Hit[];
  readonly total: number;
  /** Parts of the query that were left out. */
  readonly ignored: readonly string[];
}

interface Names {
  readonly file: TFile;
  /** File name, title and aliases. */
  readonly titles: readonly string[];
  readonly headings: readonly HeadingCache[];
  readonly tags: readonly string[];
}

type Matcher = (text: string) => SearchResult | null;

export class NoteNames {
  /** Emits when a note is new, renamed or gone, or its names may have changed. */
  readonly changed = new Emitter<void>();

  constructor(
    private readonly app: App,
    private readonly clock: Clock,
  ) {}

  /** Listens to changes until `owner` is unloaded. */
  watch(owner: Component): void {
    const { vault, metadataCache } = this.app;
    const emit = (): void => { this.changed.emit(); };
    owner.registerEvent(metadataCache.on("changed", emit));
    owner.registerEvent(vault.on("create", emit)); // a note without text has no metadata to change
    owner.registerEvent(vault.on("delete", emit));
    owner.registerEvent(vault.on("rename", emit));
  }

  /** The best `limit` notes, a few milliseconds at a time; null when `isCancelled` returned true before the end. */
  async search(query: string, limit: number, isCancelled: () => boolean): Promise<NameAnswer | null> {
    const ignored = query.match(OPERATOR) ?? [];
    const words = query.replace(OPERATOR, " ").replaceAll('"', " ").split(/\s+/u).filter((word) => word !== "");
    const matchers = words.map(matcherOf);
    const found: { readonly names: Names; readonly rank: number }[] = [];
    let until = this.clock.now() + STEP_MS;
    for (const file of words.length === 0 ? [] : this.app.vault.getMarkdownFiles()) {
      if (this.clock.now() >= until) {
        await new Promise<void>((resolve) => { this.clock.after(0, resolve); });
        if (isCancelled()) return null;
        until = this.clock.now() + STEP_MS;
      }
      if (isSensitive(this.app.metadataCache.getFileCache(file)?.frontmatter)) continue;
      const names = this.#namesOf(file);
      const all = [...names.titles, ...names.headings.map(({ heading }) => heading), ...names.tags].join("\n");
      if (matchesAll(all, matchers)) found.push({ names, rank: rankOf(names.titles, words, matchers) });
    }
    found.sort((a, b) => a.rank - b.rank || b.names.file.stat.mtime - a.names.file.stat.mtime);
    return { hits: found.slice(0, limit).map(({ names }) => hitOf(names, matchers)), total: found.length, ignored };
  }

  #namesOf(file: TFile): Names {
    const cache = this.app.metadataCache.getFileCache(file);
    const headings = cache?.headings ?? [];
    const written: unknown = cache?.frontmatter?.["title"];
    const title = typeof written === "string" && written.trim() !== "" ? written.trim() : headings.find(({ level }) => level === 1)?.heading;
    const aliases = parseFrontMatterAliases(cache?.frontmatter ?? null) ?? [];
    return { file, titles: [file.basename, ...(title === undefined ? [] : [title]), ...aliases], headings, tags: [...new Set(cache ? getAllTags(cache) : [])] };
  }
}

/** Obsidian's simple search, except for a short word: that has to begin a word, or a part of a joined one (`Hub` of `GitHub`). */
function matcherOf(word: string): Matcher {
  if (!SHORT_WORD.test(word)) return prepareSimpleSearch(word);
  const [whole, part] = [new RegExp(`(?<![\\p{L}\\p{N}])${word}`, "giu"), new RegExp(`(?<=\\p{Ll})${word.charAt(0).toUpperCase()}${word.slice(1).toLowerCase()}`, "gu")];
  return (text) => {
    const found = [...text.matchAll(whole), ...text.matchAll(part)];
    return found.length === 0 ? null : { score: 0, matches: found.map((one) => [one.index, one.index + one[0].length]) };
  };
}

/** Whether the front matter has a data class other than public and internal, which keeps a note out of every search. */
function isSensitive(frontmatter: FrontMatterCache | undefined): boolean {
  const values = Object.entries(frontmatter ?? {}).flatMap(([name, value]: [string, unknown]) => (name.toLowerCase() === "sensitivity" ? [value].flat() : []));
  return values.some((value) => value !== null && value !== "" && !(typeof value === "string" && /^\s*(?:public|internal)?\s*$/i.test(value)));
}

function matchesAll(text: string, matchers: readonly Matcher[]): boolean {
  return matchers.every((matcher) => matcher(text) !== null);
}

/** 0 if a title equals the query, then titles that begin with it, titles that contain all words, and all others. */
function rankOf(titles: readonly string[], words: readonly string[], matchers: readonly Matcher[]): number {
  const whole = words.join(" ").toLowerCase();
  const ranks = titles.map((title) => {
    const lower = title.toLowerCase();
    if (lower === whole) return 0;
    if (lower.startsWith(whole)) return 1;
    return matchesAll(title, matchers) ? 2 : 3;
  });
  return Math.min(...ranks);
}

/** The note under the title that matches best and, for words that are not in it, at a heading or with its tags. */
function hitOf({ file, titles, headings, tags }: Names, matchers: readonly Matcher[]): Hit {
  const title = bestOf(titles, matchers) ?? titles[1] ?? file.basename;
  const missing = matchers.filter((matcher) => matcher(title) === null);
  const heading = bestOf(headings.map((one) => one.heading), missing);
  const tagged = tags.filter((tag) => missing.some((matcher) => matcher(tag))).join(" ");
  const passage = heading !== null ? headingPassage(headings, heading, matchers) : tagged === "" ? null : passageOf(tagged, matchers, [], 0, 0);
  return {
    ...BLANK_HIT,
    path: file.path.normalize("NFC"), // as in the engine's answers
    title,
    titleMarks: marksOf(title, matchers),
    confidence: 1,
    modifiedMs: file.stat.mtime,
    tags: tags.map((tag) => tag.replace(/^#/, "")),
    passages: passage === null ? [] : [passage],
  };
}

/** The first of `texts` that contains most words; null where none contains any. */
function bestOf(texts: readonly string[], matchers: readonly Matcher[]): string | null {
  const counts = texts.map((text) => matchers.filter((matcher) => matcher(text)).length);
  const most = Math.max(0, ...counts);
  return most === 0 ? null : (texts[counts.indexOf(most)] ?? null);
}

function marksOf(text: string, matchers: readonly Matcher[]): readonly Mark[] {
  const matches = matchers.flatMap((matcher) => matcher(text)?.matches ?? []);
  return matches.sort(([a], [b]) => a - b).map(([start, end]) => ({ start, end, kind: "word" }));
}

/** The heading `text` as a passage, below the headings above it. */
function headingPassage(headings: readonly HeadingCache[], text: string, matchers: readonly Matcher[]): Passage | null {
  const at = headings.findIndex(({ heading }) => heading === text);
  const found = headings[at];
  if (!found) return null;
  const path = [text];
  let { level } = found;
  for (const above of headings.slice(0, at).reverse()) {
    if (above.level >= level) continue;
    path.unshift(above.heading);
    ({ level } = above);
  }
  const { line, offset } = found.position.start;
  return passageOf(text, matchers, path, offset + found.level + 1, line); // behind the signs and their space
}

function passageOf(snippet: string, matchers: readonly Matcher[], headingPath: readonly string[], start: number, line: number): Passage {
  const marks = marksOf(snippet, matchers);
  const [matchStart, matchEnd] = [start + (marks[0]?.start ?? 0), start + (marks[0]?.end ?? 0)];
  return { ...BLANK_PASSAGE, headingPath, snippet, marks, start, line, matchStart, matchEnd };
}
