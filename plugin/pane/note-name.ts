/** The name of a note in a row. Pure. */
import { withoutSuffix } from "../document-kind";
import { type Hit, type Mark } from "../protocol/messages";
import { type PlainText } from "../snippet/plain";

/** Which of its names a note is shown by. */
export type Naming = "file" | "title";
export const NAMINGS: readonly Naming[] = ["file", "title"];

export interface NoteName extends PlainText {
  /** The other name, where it says something else. */
  readonly aside: PlainText | null;
  /** The folder, where another row has the name as well. */
  readonly folder: string | null;
}

const NOTHING: readonly Mark[] = [];

/** The names of `hits`, in order: the chosen name, the other one beside it where they differ, and the folder of namesakes. */
export function noteNames(hits: readonly Hit[], naming: Naming): readonly NoteName[] {
  const names = hits.map((hit) => nameOf(hit, naming));
  const counts = new Map<string, number>();
  for (const { text } of names) counts.set(text, (counts.get(text) ?? 0) + 1);
  return names.map((name, at) => ((counts.get(name.text) ?? 0) > 1 ? { ...name, folder: folderOf(hits[at]?.path ?? "") } : name));
}

/** The file's name without folder and extension. */
export function fileName(path: string): string {
  return withoutSuffix(path.slice(path.lastIndexOf("/") + 1));
}

function nameOf({ path, title, titleMarks }: Hit, naming: Naming): NoteName {
  const file = fileName(path);
  const ofTitle: PlainText = { text: title, marks: titleMarks };
  if (folded(file) === folded(title)) return { ...(file === title ? ofTitle : { text: file, marks: marksIn(file, ofTitle) }), aside: null, folder: null };
  const ofFile: PlainText = { text: file, marks: marksIn(file, ofTitle) };
  return naming === "file" ? { ...ofFile, aside: ofTitle, folder: null } : { ...ofTitle, aside: { text: file, marks: NOTHING }, folder: null };
}

/** The marked words of a title in `file`. */
function marksIn(file: string, { text, marks }: PlainText): readonly Mark[] {
  const lower = file.toLowerCase();
  if (lower.length !== file.length) return NOTHING; // a letter that changes its length would move every mark behind it
  const words = [...new Set(marks.map(({ start, end }) => text.slice(start, end).toLowerCase()))].filter((word) => word.trim() !== "");
  const found = words.map((word) => ({ kind: "word" as const, start: lower.indexOf(word), end: lower.indexOf(word) + word.length }));
  return found.filter(({ start }) => start >= 0).sort((a, b) => a.start - b.start);
}

function folderOf(path: string): string {
  const end = path.lastIndexOf("/");
  return end < 0 ? "/" : path.slice(0, end);
}

/** Without case, accents and punctuation: "API-retry" and "API retry" are one name. */
function folded(name: string): string {
  return name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}
