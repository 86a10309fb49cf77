/**
 * How well do the names of a note match? Pure.
 *
 * A note's names are its file name, title, aliases, headings and tags. Where the whole query is, or begins, one of the
 * first three stands before notes that merely hold its words; those stand in the order title, heading, tag.
 */
import { fold } from "./folding";
import { type NameQuery, type Place } from "./name-query";

export interface Heading {
  readonly text: string;
  readonly level: number;
  readonly line: number;
  /** Of its text in the note, in UTF-16 code units. */
  readonly start: number;
}

/** The names of a note, as Obsidian's cache has them. */
export interface NoteNames {
  readonly path: string;
  readonly modifiedMs: number;
  /** Of its front matter or first heading; null where it has none. */
  readonly title: string | null;
  readonly aliases: readonly string[];
  readonly headings: readonly Heading[];
  /** With their sign. */
  readonly tags: readonly string[];
}

/** A note with its names folded once. */
export interface NameEntry {
  readonly note: NoteNames;
  /** File name, title and aliases. */
  readonly names: readonly string[];
  readonly folded: readonly string[];
  readonly headings: readonly string[];
  readonly tags: readonly string[];
}

export function nameEntry(note: NoteNames): NameEntry {
  const file = note.path.slice(note.path.lastIndexOf("/") + 1).replace(/\.md$/iu, "");
  const names = [file, ...(note.title === null ? [] : [note.title]), ...note.aliases];
  return {
    note,
    names,
    folded: names.map(fold),
    headings: note.headings.map(({ text }) => fold(text)),
    tags: note.tags.map((tag) => fold(tag.replace(/^#/, ""))),
  };
}

/** Not at all, inside a word, at the beginning of one, or a whole word. */
export type Strength = 0 | 1 | 2 | 3;

const LETTER = /[\p{L}\p{N}\p{M}]/u;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u; // words stand without spaces, so any place begins one
const INSIDE_LEAST = 3; // letters; fewer are inside nearly every word

/** How well `text` holds `word`, both folded. */
export function strengthOf(text: string, word: string): Strength {
  let best: Strength = 0;
  for (let at = text.indexOf(word); at >= 0 && best < 3; at = text.indexOf(word, at + 1)) best = Math.max(best, strengthAt(text, word, at)) as Strength;
  return best;
}

/** How well `text` holds `word` at `at`, where it stands. */
export function strengthAt(text: string, word: string, at: number): Strength {
  if (isInsideWord(text, at)) return word.length < INSIDE_LEAST ? 0 : 1;
  return isInsideWord(text, at + word.length) ? 2 : 3;
}

function isInsideWord(text: string, at: number): boolean {
  const [before, after] = [text.charAt(at - 1), text.charAt(at)];
  return LETTER.test(before) && LETTER.test(after) && !UNSPACED.test(before) && !UNSPACED.test(after);
}

// Worth of a word by its strength; a whole word in a heading counts less than the beginning of one in a name.
const IN_NAME = [0, 2.4, 4, 4.6] as const;
const IN_HEADING = [0, 1, 2, 2.3] as const;
const IN_TAG = [0, 0, 1.4, 1.6] as const;
const WHOLE_NAME = 10;
const BEGINS_NAME = 8;
const ONE_NAME = 6; // all words begin words of one name
const LENGTH_COUNTS = 0.004; // a character; a short name is likelier meant

/** The score of a note, above 0 where it has all that the query asks for; otherwise 0. */
export function scoreOf(entry: NameEntry, { words, without, tags, places }: NameQuery): number {
  if (!places.every((place) => isAt(entry, place)) || !tags.every((tag) => hasTag(entry, tag))) return 0;
  if (without.some((word) => worthOf(entry, word) > 0)) return 0;
  if (words.length === 0) return tags.length + places.length > 0 ? 1 : 0;
  let sum = 0;
  for (const word of words) {
    const worth = worthOf(entry, word);
    if (worth === 0) return 0;
    sum += worth;
  }
  return Math.max(wholeScore(entry, words), sum / words.length) - Math.min(0.5, LENGTH_COUNTS * (entry.folded[0]?.length ?? 0));
}

function worthOf({ folded, headings, tags }: NameEntry, word: string): number {
  const inName = IN_NAME[best(folded, word)];
  if (inName > IN_HEADING[3]) return inName;
  return Math.max(inName, IN_HEADING[best(headings, word)], IN_TAG[best(tags, word)]);
}

function best(texts: readonly string[], word: string): Strength {
  let strength: Strength = 0;
  for (const text of texts) strength = Math.max(strength, strengthOf(text, word)) as Strength;
  return strength;
}

function wholeScore({ folded }: NameEntry, words: readonly string[]): number {
  const whole = words.join(" ");
  let score = 0;
  for (const name of folded) {
    if (name === whole) return WHOLE_NAME;
    if (name.startsWith(whole)) score = Math.max(score, BEGINS_NAME);
    else if (words.every((word) => strengthOf(name, word) > 1)) score = Math.max(score, ONE_NAME);
  }
  return score;
}

function hasTag({ tags }: NameEntry, wanted: string): boolean {
  return tags.some((tag) => tag === wanted || tag.startsWith(`${wanted}/`));
}

function isAt({ note: { path }, folded }: NameEntry, { of, text }: Place): boolean {
  if (of === "file") return folded[0]?.includes(text) ?? false;
  const place = fold(of === "folder" ? path.slice(0, path.lastIndexOf("/") + 1) : path);
  return of === "path" ? place.includes(text) : `/${place}`.includes(`/${text.replace(/^\/|\/$/gu, "")}/`);
}
