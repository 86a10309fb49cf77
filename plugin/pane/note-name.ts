/** The name of a note in a row. Pure. */
import { withoutSuffix } from "../document-kind";
import { type Hit, type Mark } from "../protocol/messages";
import { type PlainText } from "../snippet/plain";

/** Which of its names a note is shown by. */
export type Naming = "file" | "title";
export const NAMINGS: readonly Naming[] = ["file", "title"];

export interface NoteName extends PlainText {
  /** The other name, where it has further words. */
  readonly aside: PlainText | null;
  /** The folder, where another row has the name as well, or the file's name says nothing. */
  readonly folder: string | null;
}

const NOTHING: readonly Mark[] = [];
const GENERIC = /^(?:_?index|readme|untitled(?: \d+)?)$/iu; // names of files that say nothing of the note
const DATE = /\d{4}-\d{2}-\d{2}/gu;

/** The names of `hits`, in order: the chosen name, the other one beside it where they differ, and the folder of namesakes. */
export function noteNames(hits: readonly Hit[], naming: Naming): readonly NoteName[] {
  const names = hits.map((hit) => nameOf(hit, naming));
  const counts = new Map<string, number>();
  for (const { text } of names) counts.set(text, (counts.get(text) ?? 0) + 1);
  return names.map((name, at) => ((counts.get(name.text) ?? 0) > 1 ? { ...name, aside: null, folder: folderOf(hits[at]?.path ?? "") } : name));
}

/** The file's name without folder and extension. */
export function fileName(path: string): string {
  return withoutSuffix(path.slice(path.lastIndexOf("/") + 1));
}

function nameOf({ path, title, titleMarks }: Hit, naming: Naming): NoteName {
  const file = fileName(path);
  const ofTitle: PlainText = { text: title, marks: titleMarks };
  if (GENERIC.test(file)) return { ...ofTitle, aside: null, folder: folderOf(path) };
  if (folded(file) === folded(title) || title.includes("{{")) return { ...(file === title ? ofTitle : { text: file, marks: marksIn(file, ofTitle) }), aside: null, folder: null };
  const ofFile: PlainText = { text: file, marks: marksIn(file, ofTitle) };
  return naming === "file" ? { ...ofFile, aside: saysMore(title, file) ? ofTitle : null, folder: null } : { ...ofTitle, aside: saysMore(file, title) ? { text: file, marks: NOTHING } : null, folder: null };
}

/** Whether `other` has a word that `name` lacks. */
function saysMore(other: string, name: string): boolean {
  const words = new Set(folded(name).split(" "));
  return folded(other).split(" ").some((word) => !words.has(word));
}

/** The marked words of a title in `file`, whole ones and whole dates. */
function marksIn(file: string, { text, marks }: PlainText): readonly Mark[] {
  const words = new Set(marks.map(({ start, end }) => text.slice(start, end).toLowerCase()));
  const dates = [...file.matchAll(DATE)].map(({ index, 0: date }) => ({ start: index, end: index + date.length }));
  const found = [...file.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].filter(([word]) => words.has(word.toLowerCase()));
  const spans = found.map(({ index, 0: word }) => dates.find(({ start, end }) => start <= index && index < end) ?? { start: index, end: index + word.length });
  return [...new Map(spans.map((span) => [span.start, { kind: "word" as const, ...span }])).values()];
}

function folderOf(path: string): string {
  const end = path.lastIndexOf("/");
  return end < 0 ? "/" : path.slice(0, end);
}

/** Without case, accents and punctuation: "API-retry" and "API retry" are one name. */
function folded(name: string): string {
  return name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}
