/** The rows of a list and their content. Pure. */
import { BLANK_PASSAGE } from "../protocol/blank";
import { type Extract, type Hit, LIMITS, type Mode, type Passage } from "../protocol/messages";
import { type Answer, needsNoWord, type Relation } from "../search/answer";
import { type FurtherPassages, passagesOf } from "../search/passage-loader";
import { type Naming, type NoteName, noteNames } from "./note-name";

/** Why a row is shown, if that is informative: by meaning among rows that contain words, by its title alone, or its relation to a note. */
export type Reason = "meaning" | "title" | Relation;

/** A note that was found, at its best passage. */
export interface HitRow {
  readonly kind: "hit";
  /** The note's path. */
  readonly key: string;
  readonly hit: Hit;
  readonly name: NoteName;
  /** Null where the note is only listed. */
  readonly passage: Passage | null;
  /** The passage at length, where that is wanted. */
  readonly context: Passage | null;
  readonly further: FurtherPassages;
  /** Of each further passage that is unfolded, as `context` is. */
  readonly furtherContexts: readonly (Passage | null)[];
  readonly reason: Reason | null;
  /** How near it is in meaning, 0 to 1, where the list shows that. */
  readonly similarity: number | null;
  /** The one word that the note lacks of a query of a few. */
  readonly missing: readonly string[];
  /** It is merely the nearest that there is. */
  readonly isWeak: boolean;
  /** The user said that it is not what was meant. */
  readonly isDismissed: boolean;
}

/** A further passage of the hit above it. */
export interface PassageRow {
  readonly kind: "passage";
  readonly key: string;
  /** The key of its hit, which is selected when this row disappears. */
  readonly parentKey: string;
  readonly hit: Hit;
  readonly passage: Passage;
  /** The passage at length, where that is wanted. */
  readonly context: Passage | null;
}

/** The sentence of a hit that answers the question, above all hits. */
export interface ExtractRow {
  readonly kind: "extract";
  readonly key: string;
  readonly hit: Hit;
  readonly name: NoteName;
  /** The sentence, as a passage of its own. */
  readonly passage: Passage;
}

/** A query that was searched for, or saved. */
export interface RecentRow {
  readonly kind: "recent";
  readonly key: string;
  readonly query: string;
  readonly isSaved: boolean;
}

/** A query made from the vault, for the user to try. */
export interface ExampleRow {
  readonly kind: "example";
  readonly key: string;
  readonly query: string;
}

/** The heading of the rows below it; it cannot be selected. */
export interface DividerRow {
  readonly kind: "divider";
  readonly key: string;
  readonly section: "nearest" | "end" | "notes" | "recent" | "saved" | "examples" | "related" | "mentions";
  /** Of `related`: the note that the rows are related to. */
  readonly name?: string;
}

/** Leads to further rows: those below an answer, hits that have not been asked for, or the view of related notes. */
export interface MoreRow {
  readonly kind: "more";
  readonly key: string;
  readonly what: "rest" | "hits" | "related";
}

/** Creates a note that is called as the query. */
export interface CreateRow {
  readonly kind: "create";
  readonly key: string;
  /** The note's name, without folder and extension. */
  readonly name: string;
}

/** A row of the list; its key is unique in the list and independent of its position. */
export type Row = ExtractRow | HitRow | PassageRow | QueryRow | DividerRow | MoreRow | CreateRow;

/** A row that represents a query. */
export type QueryRow = RecentRow | ExampleRow;

/** A row that represents a place in a note. */
export type PlaceRow = ExtractRow | HitRow | PassageRow;

export interface RowOptions {
  readonly naming: Naming;
  /** All rows below an answer, not the first `BELOW_ANSWER`. */
  readonly showsRest: boolean;
  readonly further: ReadonlyMap<string, FurtherPassages>;
  /** Key of a row -> its passage at length. */
  readonly contexts: ReadonlyMap<string, Passage>;
  /** Paths of the hits that are not what was meant. */
  readonly dismissed: ReadonlySet<string>;
  /** The name of the note that can be created; null where none is offered. */
  readonly newNote: string | null;
}

const WEAK_SHOWN = 5; // enough to see that nothing fits
const GUESSES = 10; // where the first is weak, hardly one behind these is better
const BELOW_ANSWER = 5;
const REST: Row = { kind: "more", key: "more", what: "rest" };
const FOLDED: FurtherPassages = { kind: "folded" };

/** The hits of `answer`, each followed by those of its further passages that are unfolded; weak ones last, below a divider. */
export function answerRows(answer: Answer, options: RowOptions): readonly Row[] {
  const { hits, weakness } = answer;
  const names = noteNames(hits, options.naming);
  const strong = weakness === "no-words" ? 0 : strongCount(answer);
  const rowsOf = (hit: Hit, at: number): readonly Row[] => {
    const isDismissed = options.dismissed.has(hit.path);
    const further = isDismissed ? FOLDED : (options.further.get(hit.path) ?? FOLDED);
    const name = names[at] ?? { text: hit.title, marks: hit.titleMarks, aside: null, folder: null };
    const row = hitRow(answer, hit, name, further, at >= Math.max(1, strong));
    const passages = passagesOf(further).map((passage) => passageRow(hit, passage, options.contexts));
    return [{ ...row, isDismissed, context: contextAt(row.key, row.passage, options.contexts), furtherContexts: passages.map(({ context }) => context) }, ...passages];
  };
  const isCut = answer.extract !== null && !options.showsRest && hits.length > BELOW_ANSWER;
  const shown = Math.min(strong + (strong > 0 && isOneWord(answer) ? 0 : WEAK_SHOWN), isCut ? BELOW_ANSWER : weakness === "unlikely" ? GUESSES : hits.length);
  const rows = hits.slice(0, shown).map(rowsOf);
  const divider: readonly Row[] = strong < rows.length ? [{ kind: "divider", key: "divider weak", section: "nearest" }] : [];
  if (answer.mentionsFrom !== undefined) return withMentions(rows, answer.mentionsFrom);
  const create: readonly Row[] = options.newNote === null ? [] : [{ kind: "create", key: "create", name: options.newNote }];
  return [...extractRows(answer, names), ...rows.slice(0, strong).flat(), ...divider, ...rows.slice(strong).flat(), ...(isCut ? [REST] : endRows(answer, shown)), ...create];
}

/** The saved queries, then the recent ones, newest first. */
export function queryRows(recent: readonly string[], saved: readonly string[]): readonly Row[] {
  const rows = (queries: readonly string[], section: "recent" | "saved"): readonly Row[] => [
    ...(queries.length === 0 ? [] : [{ kind: "divider", key: `divider ${section}`, section } as const]),
    ...queries.map((query) => ({ kind: "recent", key: `${section} ${query}`, query, isSaved: section === "saved" }) as const),
  ];
  return [...rows(saved, "saved"), ...rows(recent.filter((query) => !saved.includes(query)), "recent")];
}

export function isPlace(row: Row | null): row is PlaceRow {
  return row?.kind === "hit" || row?.kind === "passage" || row?.kind === "extract";
}

export function isQuery(row: Row | null): row is QueryRow {
  return row?.kind === "recent" || row?.kind === "example";
}

export function isSelectable({ kind }: Row): boolean {
  return kind !== "divider";
}

/** Related notes, then those that merely mention the note, below a divider. */
function withMentions(rows: readonly (readonly Row[])[], from: number): readonly Row[] {
  const divider: readonly Row[] = from < rows.length ? [{ kind: "divider", key: "divider mentions", section: "mentions" }] : [];
  return [...rows.slice(0, from).flat(), ...divider, ...rows.slice(from).flat()];
}

function extractRows({ extract, hits }: Answer, names: readonly NoteName[]): readonly ExtractRow[] {
  const at = hits.findIndex(({ path }) => path === extract?.path);
  const [hit, name] = [hits[at], names[at]];
  return extract && hit && name ? [{ kind: "extract", key: "extract", hit, name, passage: passageOf(extract) }] : [];
}

function passageOf({ text, headingPath, line, matchStart, matchEnd, anchor }: Extract): Passage {
  const marks = [{ start: 0, end: text.length, kind: "sentence" }] as const;
  return { ...BLANK_PASSAGE, headingPath, snippet: text, marks, start: matchStart, line, matchStart, matchEnd, anchor };
}

/** Whether a word stands alone: a note that contains it needs no company of others. */
export function isOneWord({ query, clauses, relations }: Answer): boolean {
  return clauses.length === 0 && relations === undefined && !/\s/u.test(query);
}

/** How many hits precede the weak ones: those at the end without a word of the query, and unlikely to answer. */
function strongCount({ hits, mode }: Answer): number {
  if (mode !== "hybrid") return hits.length;
  const last = [...hits].findLastIndex(({ matchedBy, confidence }) => matchedBy !== "meaning" || confidence >= LIMITS.weakConfidence);
  return last + 1;
}

function endRows({ hits, total, reachable }: Answer, shown: number): readonly Row[] {
  if (shown < hits.length) return []; // the next ones would be weaker still
  if (reachable > hits.length) return [{ kind: "more", key: "more", what: "hits" }];
  return total > hits.length ? [{ kind: "divider", key: "divider end", section: "end" }] : [];
}

function hitRow(answer: Answer, hit: Hit, name: NoteName, further: FurtherPassages, isWeak: boolean): HitRow {
  const known = answer.relations?.get(hit.path) ?? reasonOf(hit, answer.mode);
  const reason = isWeak || answer.weakness === "no-words" ? null : known; // "Similar in meaning" says it of all its rows
  // If it contains none, the reason says so; of one that lacks several, the words that are marked say more.
  const isTold = hit.matchedBy !== "meaning" && hit.missingWords.length === 1 && !needsNoWord(answer) && !isOneWord(answer);
  return { kind: "hit", key: hit.path, hit, name, passage: hit.passages[0] ?? null, context: null, further, furtherContexts: [], reason, similarity: answer.similarities?.get(hit.path) ?? null, missing: isTold ? hit.missingWords : [], isWeak, isDismissed: false };
}

/** What is shown at length may be another passage by now, after a change of the index. */
function contextAt(key: string, passage: Passage | null, contexts: RowOptions["contexts"]): Passage | null {
  const context = contexts.get(key) ?? null;
  return context?.start === passage?.start ? context : null;
}

function reasonOf({ matchedBy, titleMarks, passages }: Hit, mode: Mode): Reason | null {
  if (matchedBy === null || mode === "semantic") return null;
  if (matchedBy === "meaning") return "meaning";
  const isInText = passages.some(({ marks }) => marks.some(({ kind }) => kind === "word"));
  return titleMarks.length > 0 && !isInText ? "title" : null;
}

function passageRow(hit: Hit, passage: Passage, contexts: RowOptions["contexts"]): PassageRow {
  const key = `${hit.path}#${passage.start}`;
  return { kind: "passage", key, parentKey: hit.path, hit, passage, context: contextAt(key, passage, contexts) };
}

/** The notes that are related to the open one. */
export interface RelatedOffer {
  /** The open note. */
  readonly name: string;
  readonly answer: Answer;
}

/** What an empty box offers. */
export interface Offers {
  readonly history: readonly string[];
  readonly saved: readonly string[];
  /** Queries to try; null while it is not known which there are. */
  readonly examples: readonly string[] | null;
  readonly related: RelatedOffer | null;
  /** The notes that were opened last; null where they are not offered. */
  readonly notes: Answer | null;
}

const ENOUGH_RECENT = 3; // who has searched so often needs no examples
const RELATED = 5; // the view of related notes has more

/** Queries first, then related notes: rows that arrive late are below the others. */
export function emptyBoxRows({ history, saved, examples, related, notes }: Offers, options: RowOptions): readonly Row[] {
  const divider: Row = { kind: "divider", key: "divider notes", section: "notes" };
  const queries = [...(notes ? [divider, ...answerRows(notes, { ...options, newNote: null })] : []), ...queryRows(history, saved)];
  if (history.length >= ENOUGH_RECENT) return [...queries, ...relatedRows(related, options)];
  if (examples === null) return queries;
  const known = new Set([...history, ...saved]);
  const shown = examples.filter((query) => !known.has(query)).map((query) => ({ kind: "example", key: `example ${query}`, query }) as const);
  const heading: readonly Row[] = shown.length === 0 ? [] : [{ kind: "divider", key: "divider examples", section: "examples" }];
  return [...queries, ...heading, ...shown, ...relatedRows(related, options)];
}

function relatedRows(related: RelatedOffer | null, options: RowOptions): readonly Row[] {
  if (!related) return [];
  const { mentionsFrom: _, ...answer } = related.answer;
  const hits = answer.hits.slice(0, RELATED);
  if (hits.length === 0) return [];
  return [
    { kind: "divider", key: "divider related", section: "related", name: related.name },
    ...answerRows({ ...answer, hits, total: hits.length, reachable: hits.length }, { ...options, newNote: null }),
    { kind: "more", key: "more related", what: "related" },
  ];
}
