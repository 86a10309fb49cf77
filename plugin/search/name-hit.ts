/** What does a row show of a note that was found by its names, and where does it lead? Pure. */
import { type Hit, type Mark, type Passage } from "../protocol/messages";
import { foldWithOrigins } from "./folding";
import { type NameEntry, strengthAt, strengthOf } from "./name-match";
import { type NameQuery } from "./name-query";

/** The note as a hit: under the name that matches best and, for words that are not in it, at a heading or with its tags. */
export function nameHit({ note, names, folded, headings, tags }: NameEntry, query: NameQuery): Hit {
  const { words } = query;
  const at = bestOf(folded, words) ?? (note.title === null ? 0 : 1);
  const title = names[at] ?? note.path;
  const lacking = words.filter((word) => strengthOf(folded[at] ?? "", word) === 0);
  const heading = bestOf(headings, lacking);
  const passage = heading === null ? tagPassage(note.tags, tags, [...lacking, ...query.tags]) : headingPassage(note.headings, heading, words);
  return {
    path: note.path,
    kind: "note",
    title,
    titleMarks: marksOf(title, words),
    score: null,
    confidence: 1,
    why: null,
    modifiedMs: note.modifiedMs,
    type: null,
    domain: null,
    project: null,
    tags: note.tags.map((tag) => tag.replace(/^#/, "")),
    passages: passage === null ? [] : [passage],
    furtherPassages: 0,
    signals: null,
    maps: [],
    missingWords: [],
  };
}

/** Where `words` stand in `text`, in order and without overlaps. */
export function marksOf(text: string, words: readonly string[]): readonly Mark[] {
  const folded = foldWithOrigins(text);
  const found = words.flatMap((word) => [...placesOf(folded.text, word)].map((at) => [at, at + word.length] as const));
  const marks: Mark[] = [];
  for (const [from, to] of found.sort(([a], [b]) => a - b)) {
    const start = folded.origins[from] ?? 0;
    const end = folded.origins[to] ?? text.length;
    const last = marks.at(-1);
    if (last && start < last.end) marks[marks.length - 1] = { ...last, end: Math.max(last.end, end) };
    else if (start < end) marks.push({ start, end, kind: "word" });
  }
  return marks;
}

function* placesOf(text: string, word: string): Iterable<number> {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) if (strengthAt(text, word, at) > 0) yield at;
}

/** Which of `texts` holds most of `words`, best; null where none holds any. */
function bestOf(texts: readonly string[], words: readonly string[]): number | null {
  let best: number | null = null;
  let most = 0;
  for (const [at, text] of texts.entries()) {
    const sum = words.reduce((all, word) => all + strengthOf(text, word), 0);
    if (sum > most) [best, most] = [at, sum];
  }
  return best;
}

function headingPassage(headings: NameEntry["note"]["headings"], at: number, words: readonly string[]): Passage | null {
  const heading = headings[at];
  if (!heading) return null;
  const path = [heading.text];
  let { level } = heading;
  for (const above of headings.slice(0, at).reverse()) {
    if (above.level >= level) continue;
    path.unshift(above.text);
    ({ level } = above);
  }
  return passageOf(heading.text, marksOf(heading.text, words), path, heading.start, heading.line);
}

/** The tags that were asked for; they stand anywhere in the note, so it is opened at the first of them. */
function tagPassage(tags: readonly string[], folded: readonly string[], words: readonly string[]): Passage | null {
  const found = tags.filter((_tag, at) => words.some((word) => strengthOf(folded[at] ?? "", word) > 1));
  if (found.length === 0) return null;
  const snippet = found.join(" ");
  return passageOf(snippet, marksOf(snippet, words), [], 0, 0);
}

function passageOf(snippet: string, marks: readonly Mark[], headingPath: readonly string[], start: number, line: number): Passage {
  const [mark] = marks;
  const [matchStart, matchEnd] = [start + (mark?.start ?? 0), start + (mark?.end ?? 0)];
  return { headingPath, snippet, marks, start, line, matchStart, matchEnd, tokens: 0, text: null, truncated: false, breakdown: null, anchor: null };
}
