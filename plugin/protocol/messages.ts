// Generated from sidecar/quarry/protocol/ by `npm run wire`; edit the structs, not this file.

export type Abstention = "low-confidence" | "all-seen" | "indexing" | "budget" | "used-up";
export type Access = "reader" | "owner";
export type BackfillState = "loading" | "missing" | "running" | "complete";
export type BlockState = "kept" | "built" | "empty";
export type ClauseKind =
  | "word"
  | "phrase"
  | "regex"
  | "property"
  | "group"
  | "time"
  | "path"
  | "file"
  | "folder"
  | "kind"
  | "tag"
  | "type"
  | "domain"
  | "status"
  | "created"
  | "modified"
  | "content"
  | "section"
  | "line"
  | "block"
  | "task"
  | "task-todo"
  | "task-done"
  | "match-case"
  | "ignore-case";
export type ConsentKind = "download" | "endpoint" | "remote" | "key" | "reranker";
export type Detail = "scan" | "full";
export type DocumentKind = "note" | "canvas" | "pdf";
export type ExplainState =
  "hit" | "beyond" | "unranked" | "refused" | "listed" | "excluded" | "pending" | "failed" | "unknown";
export type FeedbackKind = "opened" | "dismissed" | "restored" | "copied" | "inserted" | "used";
export type Fusion = "convex" | "rrf" | "six-signals";
export type IndexState =
  "starting" | "scanning" | "indexing" | "rebuilding" | "embedding" | "live" | "paused" | "failed";
export type KnownLanguages = "english" | "scripts" | "many";
export type MatchedBy = "words" | "meaning" | "both";
export type Mode = "hybrid" | "keyword" | "semantic";
export type ModelState = "loading" | "ready" | "missing";
export type NoteState = "indexed" | "partial" | "hidden" | "waiting" | "excluded" | "failed";
export type NoteType = "note" | "signal" | "project" | "moc" | "daily";
export type RelaxStep = "beginnings" | "any-passage" | "as-words" | "meaning";
export type ReportState = "indexed" | "partial" | "hidden" | "waiting" | "excluded" | "failed" | "unknown";
export type Retriever = "keyword" | "dense";
export type SortOrder = "relevance" | "modified" | "created" | "name";
export type StaleKind = "not-built" | "redefined" | "expired" | "changed" | "removed" | "outdated";
export type Stemming = "by-language" | "none";
export type Weakness = "no-words" | "unlikely";

/**
 * The first message of every connection.
 */
export interface InitializeParams {
  /**
   * The token from the discovery file, or the owner's; see Tokens. At most 200 characters.
   */
  readonly token: string;
  /**
   * The protocol version that the client speaks.
   */
  readonly protocol: number;
  readonly client: Client;
}
/**
 * The program that connects; shown in the log.
 */
export interface Client {
  /**
   * At most 100 characters.
   */
  readonly name: string;
  /**
   * At most 100 characters.
   */
  readonly version?: string;
}
/**
 * The connection is open.
 */
export interface InitializeResult {
  readonly protocol: number;
  /**
   * The version of the sidecar.
   */
  readonly version: string;
  readonly vault: Vault;
  /**
   * The rights of the token; `owner`: all methods.
   */
  readonly access: Access;
  readonly status: IndexStatus;
}
/**
 * The folder that this sidecar serves.
 */
export interface Vault {
  /**
   * Stable for one folder on one machine.
   */
  readonly id: string;
  readonly name: string;
  /**
   * Absolute path on this machine.
   */
  readonly path: string;
}
/**
 * The status of the index: its contents and current work.
 */
export interface IndexStatus {
  readonly state: IndexState;
  /**
   * Notes that can be found now.
   */
  readonly notes: number;
  readonly chunks: number;
  /**
   * Notes known to have changed and not yet indexed.
   */
  readonly pending: number;
  /**
   * Notes excluded by a rule at the last scan.
   */
  readonly excluded: number;
  /**
   * Null when idle.
   */
  readonly progress: Progress | null;
  readonly model: Model;
  /**
   * Null unless a contextual model is chosen.
   */
  readonly backfill: Backfill | null;
  /**
   * Those in use first, then the last used.
   */
  readonly models: readonly StoredModel[];
  /**
   * Retrievers that are unavailable now; normally empty.
   */
  readonly missing: readonly MissingRetriever[];
  readonly problemCount: number;
  /**
   * At most 100, by path.
   */
  readonly problems: readonly Problem[];
  /**
   * When the index last became equal to the vault.
   */
  readonly indexedMs: number | null;
  /**
   * When the whole index was last rebuilt, or begun; null if an older version did that.
   */
  readonly builtMs: number | null;
  /**
   * Size of the index on disk.
   */
  readonly sizeBytes: number;
  /**
   * Something the user should know, and what to do about it.
   */
  readonly message: Message | null;
}
/**
 * Progress of the current work.
 */
export interface Progress {
  readonly doneNotes: number;
  readonly totalNotes: number;
  readonly doneChunks: number;
  readonly notesPerSecond: number;
  /**
   * Null while it cannot be estimated.
   */
  readonly remainingMs: number | null;
}
/**
 * The embedding model.
 */
export interface Model {
  readonly name: string;
  readonly state: ModelState;
  /**
   * Why it is missing and what to do about it; null otherwise.
   */
  readonly message: string | null;
}
/**
 * A contextual model, and the progress of the contextual backfill: the share of chunks that have its vectors.
 */
export interface Backfill {
  readonly model: string;
  /**
   * Static vectors answer until this is `complete`.
   */
  readonly state: BackfillState;
  /**
   * Why the model is missing and what to do about it.
   */
  readonly message: string | null;
  readonly doneChunks: number;
  readonly totalChunks: number;
  /**
   * Null while it cannot be estimated, and when it is complete.
   */
  readonly remainingMs: number | null;
  /**
   * Where the text of notes and queries is sent, if that is another machine.
   */
  readonly sentTo: string | null;
}
/**
 * A model that the index has vectors of: in use, or kept from before, so that it can be used again at once.
 */
export interface StoredModel {
  /**
   * SHA-256 of all that determines its vectors.
   */
  readonly id: string;
  readonly name: string;
  readonly kind: "contextual" | "static";
  /**
   * Chunks that have its vectors.
   */
  readonly chunks: number;
  readonly sizeBytes: number;
  readonly isUsed: boolean;
}
/**
 * A retriever that is unavailable at the moment.
 */
export interface MissingRetriever {
  readonly retriever: Retriever;
  /**
   * Why, and what to do.
   */
  readonly reason: Message;
}
/**
 * A sentence, or a part of one: its code, which `locales/en.json` has in English, and the values in it.
 */
export interface Message {
  readonly code: string;
  readonly args: {
    readonly [k: string]: string | number | readonly (string | Message)[] | Message;
  };
}
/**
 * A note that was skipped, truncated, or only partially read.
 */
export interface Problem {
  /**
   * "": a setting or a rule.
   */
  readonly path: string;
  readonly reason: Message;
  /**
   * True: the note cannot be found. False: a part of it can.
   */
  readonly skipped: boolean;
}
/**
 * A query: words to rank notes by, and conditions that they must satisfy.
 */
export interface SearchOptions extends ReadParams {
  /**
   * Words, "phrases", -not, a OR b, (groups), /regular expressions/, path: file: folder: tag: #tag, section:(a b), task: task-todo: task-done:, [property] [property:value] [property:<5], type: domain: status:, created: modified: (`>=2026-01-01`, `7d`, `last week`). At most 4096 characters.
   */
  readonly query: string;
  /**
   * Maximum number of hits, one per note. 1 to 100. Default: 10.
   */
  readonly limit?: number;
  /**
   * How many hits to skip. The next page begins after the returned hits; with the same parameters and index, the pages form one list of `reachable` notes. 0 to 100000.
   */
  readonly offset?: number;
  /**
   * relevance: best first. modified: last changed first. created: latest front matter date first, notes without a date last. name: by file name. All except relevance sort the notes that contain every word of the query, and those that are likely to answer (confidence of at least 0.1, among the first 100). Default: "relevance".
   */
  readonly sort?: SortOrder;
  /**
   * hybrid: by words and by meaning. keyword: by words. semantic: by meaning. Default: "hybrid".
   */
  readonly mode?: Mode;
  /**
   * How the rankings of the retrievers are combined: by a weighted sum of signals, by rank alone (reciprocal rank fusion), or by six signals (words, meaning, severity, age, tags, domain). Null: the vault's setting.
   */
  readonly fusion?: Fusion | null;
  /**
   * The query is still being typed: its last word may be a prefix, and `tag:` alone is not an error.
   */
  readonly typing?: boolean;
  /**
   * With `typing`: the typing rests. Until then, a last word that no note contains is not compared in meaning.
   */
  readonly paused?: boolean;
  /**
   * Find nothing where no note matches the query as it stands, instead of relaxing it.
   */
  readonly strict?: boolean;
  /**
   * scan: titles and 120-character snippets. full: also chunk text, score breakdown and signals. Default: "scan".
   */
  readonly detail?: Detail;
  /**
   * Maximum length of a snippet in characters; null: 120 with `scan`, 300 with `full`.
   */
  readonly snippetWidth?: number | null;
  /**
   * Budget for all passages; 4 characters per token. 50 to 100000. Default: 4000.
   */
  readonly maxTokens?: number;
  /**
   * Quote all passages of each hit, not only the best one; see `search/passages`.
   */
  readonly expand?: boolean;
  /**
   * If few chunks contain a word of the query and the limit would drop more than half of their notes, return all of these notes. Default: true.
   */
  readonly expandSmallResults?: boolean;
  /**
   * If the query is a question, look for a sentence of the first hit that answers it.
   */
  readonly extract?: boolean;
  readonly filters?: Filters;
  /**
   * Null: the vault's setting.
   */
  readonly weights?: Weights | null;
  /**
   * An earlier search of this client to cancel.
   */
  readonly supersedes?: number | string | null;
}
/**
 * Parameters of every request that reads the index.
 */
export interface ReadParams {
  /**
   * The longest time to wait, in milliseconds, until all changes reported before this request are indexed, no comparison with the vault is running and the model is loaded; then answer in any case. Unless the index is empty, work that is expected to take longer is not waited for. 0 to 60000.
   */
  readonly waitMs?: number;
  /**
   * Answer only when all changes reported up to this time (by `vault/changed`, whose result contains it, or by the sidecar's own watcher) are indexed, and wait for nothing else. If that takes longer than `waitMs`, or indexing is paused, the error is `index-behind`. A future time counts as now.
   */
  readonly afterMs?: number | null;
}
/**
 * Restrictions applied inside the index, before anything is ranked, in addition to operators in the query.
 */
export interface Filters {
  /**
   * Any of these notes, by full path. In a single note, every passage with a word is found. At most 100.
   */
  readonly notes?: readonly string[];
  /**
   * At most 100.
   */
  readonly notNotes?: readonly string[];
  /**
   * Any of these folders, including subfolders. At most 100.
   */
  readonly folders?: readonly string[];
  /**
   * At most 100.
   */
  readonly notFolders?: readonly string[];
  /**
   * Each must be a part of the path. At most 100.
   */
  readonly paths?: readonly string[];
  /**
   * At most 100.
   */
  readonly notPaths?: readonly string[];
  /**
   * All of these tags, or tags nested in them. At most 100.
   */
  readonly tags?: readonly string[];
  /**
   * At most 100.
   */
  readonly notTags?: readonly string[];
}
/**
 * The weight of each retriever in the fusion.
 */
export interface Weights {
  /**
   * 0 to 100. Default: 1.0.
   */
  readonly keyword?: number;
  /**
   * 0 to 100. Default: 1.0.
   */
  readonly dense?: number;
}
/**
 * Hits, best first.
 */
export interface SearchResult {
  readonly hits: readonly Hit[];
  /**
   * The query has no words to rank by: the hits are the newest notes that satisfy it.
   */
  readonly listed: boolean;
  /**
   * Notes that contain every word of the query, or one of its alternatives; if `sort` is not relevance, the sorted notes; with `mode` semantic, those near in meaning. Hits may be more.
   */
  readonly total: number;
  /**
   * The end of paging: notes that were ranked or sorted, those with some of the words and those near in meaning as well.
   */
  readonly reachable: number;
  /**
   * The order of the hits: relevance, whatever was requested, if no note is worth sorting.
   */
  readonly sort: SortOrder;
  /**
   * The operators, filters and phrases of the query, in order.
   */
  readonly clauses: readonly Clause[];
  /**
   * How the query was understood.
   */
  readonly understood: Message;
  /**
   * The query asks something, in its words or by a question mark.
   */
  readonly isQuestion: boolean;
  /**
   * Words that were treated as typing errors.
   */
  readonly corrections: readonly Correction[];
  /**
   * Words that no note contains and that were not corrected, if hits contain other words.
   */
  readonly unknownWords: readonly string[];
  /**
   * Set if the query had no hits and a relaxed query was searched instead.
   */
  readonly relaxed: Relaxed | null;
  /**
   * Set if nothing was found because of a filter.
   */
  readonly unmet: UnmetFilter | null;
  /**
   * The confidence of the first hit; 0 if there is none.
   */
  readonly confidence: number;
  /**
   * Set if the first hit is unlikely to answer, lacks words of the query and hardly stands out in meaning. no-words: no hit contains any of them; the hits are the nearest. unlikely: some hits contain some words.
   */
  readonly weakness: Weakness | null;
  /**
   * With `extract`: set if the query is a question and a sentence is likely to answer it.
   */
  readonly extract: Extract | null;
  /**
   * The retrievers that served this answer.
   */
  readonly retrievers: readonly Retriever[];
  /**
   * Requested retrievers that are unavailable.
   */
  readonly missing: readonly MissingRetriever[];
  /**
   * An estimate for all returned passages.
   */
  readonly tokens: number;
  /**
   * Some passages were cut or left out to fit the token budget.
   */
  readonly truncated: boolean;
  readonly index: Freshness;
}
/**
 * A note that matches the query, with its passages, best first.
 */
export interface Hit {
  readonly path: string;
  /**
   * note: a Markdown file. For other kinds, offsets and lines refer to the text from `note/read`.
   */
  readonly kind: DocumentKind;
  readonly title: string;
  /**
   * Query words in the title.
   */
  readonly titleMarks: readonly Mark[];
  /**
   * Null if notes are only listed.
   */
  readonly score: number | null;
  /**
   * The probability that the note answers the query, 0 to 1. Unlike `score`, it is comparable across queries and vaults. 0 if notes are only listed.
   */
  readonly confidence: number;
  /**
   * Found by its words, by its meaning, or by both; null if notes are only listed.
   */
  readonly matchedBy: MatchedBy | null;
  readonly modifiedMs: number;
  /**
   * From the front matter, like `domain` and `project`.
   */
  readonly type: string | null;
  readonly domain: string | null;
  readonly project: string | null;
  /**
   * The first 100; `note/read` returns all.
   */
  readonly tags: readonly string[];
  /**
   * The best passage; with `expand`, all that fit the budget.
   */
  readonly passages: readonly Passage[];
  /**
   * Matching passages that are not quoted here; `search/passages` returns them.
   */
  readonly furtherPassages: number;
  /**
   * Signals that contributed to its score, strongest first; null with `scan`, empty with `rrf`.
   */
  readonly signals: readonly Signal[] | null;
  /**
   * Maps of content that link to it, at most two.
   */
  readonly maps: readonly MapOfContent[];
  /**
   * Words of the query, as searched for, that the note does not contain in any form.
   */
  readonly missingWords: readonly string[];
}
/**
 * A span of a text to highlight.
 */
export interface Mark {
  readonly start: number;
  readonly end: number;
  /**
   * A query word, or the sentence nearest in meaning.
   */
  readonly kind: "sentence" | "word";
}
/**
 * A chunk of a note that matches the query.
 */
export interface Passage {
  readonly headingPath: readonly string[];
  readonly snippet: string;
  readonly marks: readonly Mark[];
  /**
   * Where the chunk starts in the note.
   */
  readonly start: number;
  /**
   * The line of `matchStart`.
   */
  readonly line: number;
  /**
   * The jump target: the first mark, as an offset into the note.
   */
  readonly matchStart: number;
  readonly matchEnd: number;
  /**
   * The place of the passage: `page=12` in a PDF, the id of a node in a canvas; null in a note.
   */
  readonly anchor: string | null;
  /**
   * An estimate for the whole chunk.
   */
  readonly tokens: number;
  /**
   * The whole chunk; null with `scan`.
   */
  readonly text: string | null;
  /**
   * `text` was cut to fit the budget.
   */
  readonly truncated: boolean;
  /**
   * Null with `scan`, and if notes are only listed.
   */
  readonly breakdown: Breakdown | null;
}
/**
 * The rank and score of a passage in each retriever, and the fused score.
 */
export interface Breakdown {
  readonly keywordRank: number | null;
  /**
   * BM25.
   */
  readonly keywordScore: number | null;
  readonly denseRank: number | null;
  /**
   * Cosine; standardised for a contextual model, see decisions/019.
   */
  readonly denseScore: number | null;
  /**
   * The score by which its note is ranked.
   */
  readonly fused: number;
}
/**
 * A feature that contributed to the score of a note, and by how much.
 */
export interface Signal {
  /**
   * `passage`: words in its best passage. `note`: words in the whole note. `phrase`: adjacent words. `meaning`: similarity in meaning. `max_sim`: similarity to each single word. `title`: words in its title. `exact_title`: the query is its title. Later versions may add others.
   */
  readonly name: string;
  /**
   * Its contribution to the note's score.
   */
  readonly share: number;
}
/**
 * A note that links to other notes: called `moc`, `map` or `index` by its author, or consisting mostly of links.
 */
export interface MapOfContent {
  readonly path: string;
  readonly title: string;
}
/**
 * A part of the query other than a word to rank by. To remove it, cut its range out of the query.
 */
export interface Clause {
  /**
   * tag: `#idea` or `tag:idea`. word: an excluded word. group: parentheses, with alternatives or negated. time: plain words that were read as a filter; in parentheses they are words. All others: the operator.
   */
  readonly kind: ClauseKind;
  /**
   * UTF-16 code units into the query as typed.
   */
  readonly start: number;
  readonly end: number;
  /**
   * The name of a property; the words of a time; otherwise empty.
   */
  readonly name: string;
  /**
   * As typed, without delimiters; may be empty. Of a time: the filter that it was read as.
   */
  readonly value: string;
  readonly negated: boolean;
  /**
   * Cutting its range removes this part and changes nothing else. False in alternatives.
   */
  readonly removable: boolean;
}
/**
 * A word that no note contains, and the word that was searched for instead.
 */
export interface Correction {
  readonly typed: string;
  readonly used: string;
  /**
   * Hardly any note contains the word: both were searched for.
   */
  readonly isBeside: boolean;
}
/**
 * How the query was relaxed because it had no hits.
 */
export interface Relaxed {
  /**
   * beginnings: the last word is a prefix. any-passage: the words may be anywhere, not adjacent. as-words: words about time are no filter. meaning: the nearest in meaning, however far.
   */
  readonly step: RelaxStep;
  /**
   * Sentences to show to the user: what was not found, and what is.
   */
  readonly messages: readonly Message[];
}
/**
 * The filter because of which nothing was found.
 */
export interface UnmetFilter {
  /**
   * Its index in `clauses`.
   */
  readonly clause: number;
  /**
   * A sentence to show to the user.
   */
  readonly message: Message;
}
/**
 * The sentence of the first hit that answers the question, word for word as in the note.
 */
export interface Extract {
  readonly path: string;
  readonly text: string;
  readonly headingPath: readonly string[];
  /**
   * The line where it begins.
   */
  readonly line: number;
  /**
   * Where it begins in the note.
   */
  readonly matchStart: number;
  readonly matchEnd: number;
  /**
   * The place of the passage: `page=12` in a PDF, the id of a node in a canvas; null in a note.
   */
  readonly anchor: string | null;
  /**
   * The probability that it answers; four in five of the returned sentences do.
   */
  readonly confidence: number;
}
/**
 * How current the index was when the answer was read. The answer is complete if `done` equals `total`.
 */
export interface Freshness {
  readonly state: IndexState;
  /**
   * Finished notes of the current work; without work, all notes that can be found.
   */
  readonly done: number;
  /**
   * Notes of the current work. While `starting` or `scanning`, the number may grow.
   */
  readonly total: number;
  /**
   * Every commit increments it, also across rebuilds; it restarts at 1 if the index had to be created again. The answer includes all commits up to it: with an equal epoch, nothing can have changed.
   */
  readonly epoch: number;
  /**
   * Which model answers in place of the chosen one; null if none does.
   */
  readonly fallback: Message | null;
}
/**
 * A search, and one note among its hits.
 */
export interface HitOptions extends SearchOptions {
  /**
   * The note. At most 4096 characters.
   */
  readonly path: string;
}
/**
 * The further passages of a hit, best first; empty if the note is no longer a hit.
 */
export interface PassagesResult {
  readonly passages: readonly Passage[];
  /**
   * Some passages were left out to fit the token budget, which counts only these passages.
   */
  readonly truncated: boolean;
  readonly index: Freshness;
}
/**
 * Make example queries from the vault's content. Each has been tried, and has an answer.
 */
export interface ExamplesParams {
  /**
   * The language in which questions are made: en or de. In others, only headings that are questions. Default: "en".
   */
  readonly language?: string;
  /**
   * Maximum number of queries. 1 to 10. Default: 3.
   */
  readonly limit?: number;
}
/**
 * Queries to try, each about a different note. Fewer than requested if the vault has too few; none while the
 * vault is empty or search by meaning is unavailable.
 */
export interface ExamplesResult {
  readonly examples: readonly ExampleQuery[];
}
/**
 * A query whose first hit is a likely answer.
 */
export interface ExampleQuery {
  readonly query: string;
  /**
   * The note from which the query was made, which is that hit.
   */
  readonly path: string;
}
/**
 * A note's rank among the hits of a query, or the reason why it is not among them.
 */
export interface ExplainResult {
  readonly path: string;
  /**
   * hit: shown. beyond: ranked beyond the limit. unranked: too far from the query to be ranked. refused: it does not meet a condition of the query. listed: the query has no words to rank by. excluded: a rule of the vault excludes it. pending: changed and not yet indexed. failed: it cannot be read. unknown: there is no such note.
   */
  readonly state: ExplainState;
  /**
   * Sentences to show to the user: the state, and what to do about it.
   */
  readonly messages: readonly Message[];
  /**
   * How the query was understood; null if the note is not indexed.
   */
  readonly understood: Message | null;
  /**
   * Null if it was not ranked.
   */
  readonly rank: number | null;
  /**
   * Notes that it ranks among: `reachable` of a search by relevance.
   */
  readonly total: number;
  /**
   * Null if it was not ranked.
   */
  readonly score: number | null;
  /**
   * The probability that it answers the query; null if it was not ranked.
   */
  readonly confidence: number | null;
  /**
   * For its best passage; null if it was not ranked.
   */
  readonly breakdown: Breakdown | null;
  /**
   * Signals that contributed to its score, strongest first; empty with `rrf`.
   */
  readonly signals: readonly Signal[];
  /**
   * Words of the query that the note contains, in any form.
   */
  readonly wordsFound: readonly string[];
  /**
   * Words of the query that it does not contain.
   */
  readonly wordsLacking: readonly string[];
  readonly index: Freshness;
}
/**
 * Find notes similar to a note, to the passage at one of its lines, or to any text. Give `path`, `text` or both.
 */
export interface RelatedParams extends ReadParams {
  /**
   * A note in the index.
   */
  readonly path?: string | null;
  /**
   * With `path`: compare with the passage at this line (from 0), not with the whole note.
   */
  readonly line?: number | null;
  /**
   * The text to compare with. With `path`: the text is from that note, which is left out.
   */
  readonly text?: string | null;
  /**
   * Maximum length of a snippet in characters; null: 120.
   */
  readonly snippetWidth?: number | null;
  /**
   * Maximum number of notes. 1 to 100. Default: 10.
   */
  readonly limit?: number;
  readonly filters?: Filters;
}
/**
 * Notes similar to the source, best first; the source itself is left out.
 */
export interface RelatedResult {
  readonly notes: readonly RelatedNote[];
  /**
   * The retrievers that served this answer.
   */
  readonly retrievers: readonly Retriever[];
  /**
   * Retrievers that are unavailable.
   */
  readonly missing: readonly MissingRetriever[];
  readonly index: Freshness;
}
/**
 * A note similar to the source, shown by its most similar passage.
 */
export interface RelatedNote {
  readonly headingPath: readonly string[];
  readonly snippet: string;
  readonly marks: readonly Mark[];
  /**
   * Where the chunk starts in the note.
   */
  readonly start: number;
  /**
   * The line of `matchStart`.
   */
  readonly line: number;
  /**
   * The jump target: the first mark, as an offset into the note.
   */
  readonly matchStart: number;
  readonly matchEnd: number;
  /**
   * The place of the passage: `page=12` in a PDF, the id of a node in a canvas; null in a note.
   */
  readonly anchor: string | null;
  readonly path: string;
  /**
   * note: a Markdown file. For other kinds, offsets and lines refer to the text from `note/read`.
   */
  readonly kind: DocumentKind;
  readonly title: string;
  readonly score: number;
  /**
   * How near in meaning it is, by its nearest passage; null if that is unknown.
   */
  readonly cosine: number | null;
  /**
   * One of the two notes links to the other.
   */
  readonly linked: boolean;
}
/**
 * Quote passages for a model to read, or give the reason why none is worth reading.
 */
export interface ContextParams extends ReadParams {
  /**
   * Words, "phrases", -not, a OR b, (groups), /regular expressions/, path: file: folder: tag: #tag, section:(a b), task: task-todo: task-done:, [property] [property:value] [property:<5], type: domain: status:, created: modified: (`>=2026-01-01`, `7d`, `last week`). At most 4096 characters.
   */
  readonly query: string;
  /**
   * Budget for the whole text; 4 characters per token. 50 to 100000. Default: 2000.
   */
  readonly maxTokens?: number;
  /**
   * Maximum number of notes to quote. 1 to 50. Default: 8.
   */
  readonly limit?: number;
  /**
   * Notes below this confidence are not quoted. Notes that are only listed are quoted. 0 to 1. Default: 0.1.
   */
  readonly minConfidence?: number;
  /**
   * Paths of notes not to quote, such as those already shown. At most 50.
   */
  readonly exclude?: readonly string[];
  /**
   * Earlier requests of the conversation, on which a query of few words may depend. At most 1000 characters.
   */
  readonly earlier?: string;
  /**
   * The client's name for a conversation, in which no sentence is quoted twice. Quoted sentences are kept for 12 hours, as hashes, with the tokens they took.
   */
  readonly conversation?: string | null;
  /**
   * With `conversation`: do not record these quotes as shown.
   */
  readonly dryRun?: boolean;
  readonly filters?: Filters;
}
/**
 * Passages chosen by confidence per token, within the budget: quoted, most confident first.
 */
export interface ContextResult {
  /**
   * Markdown: path, heading, line and project of each passage, and a quote of a few whole sentences behind `> `, ending with `...` if the passage continues. Fences and tags of notes are made inert.
   */
  readonly text: string;
  readonly sources: readonly Source[];
  readonly tokens: number;
  /**
   * Of the note that is most likely to answer, quoted or not; 0 if none was found.
   */
  readonly confidence: number;
  /**
   * Why nothing is quoted. low-confidence: no note is likely enough to answer. all-seen: all likely notes are excluded, or were already quoted in the conversation. indexing: no note was found, and the index is not complete. budget: not a single quote fits. used-up: nor into what is left to the conversation.
   */
  readonly abstained: Abstention | null;
  readonly missing: readonly MissingRetriever[];
  readonly index: Freshness;
  /**
   * Likely passages that are left out, as the conversation was quoted them; at most `limit`.
   */
  readonly quotedBefore: readonly Source[];
  /**
   * That the conversation may still be quoted; null without one.
   */
  readonly leftTokens: number | null;
}
/**
 * The place of a quoted passage.
 */
export interface Source {
  readonly path: string;
  /**
   * From the front matter of the note.
   */
  readonly project: string | null;
  readonly headingPath: readonly string[];
  /**
   * Where the quote begins.
   */
  readonly line: number;
  /**
   * The probability that the note answers the query, 0 to 1. Unlike `score`, it is comparable across queries and vaults. 0 if notes are only listed.
   */
  readonly confidence: number;
}
/**
 * Read context blocks. Stale blocks are rebuilt first.
 */
export interface BlocksReadParams extends ReadParams {
  /**
   * One block; null: all, in the order of the settings.
   */
  readonly name?: string | null;
  /**
   * Budget for the whole text; 4 characters per token. 50 to 100000. Default: 3000.
   */
  readonly maxTokens?: number;
  /**
   * Rebuild them even if they are current.
   */
  readonly rebuild?: boolean;
  /**
   * As for `context`, which then does not repeat the blocks' quotes in this conversation.
   */
  readonly conversation?: string | null;
  /**
   * With `conversation`: do not record these quotes as shown.
   */
  readonly dryRun?: boolean;
}
/**
 * Context blocks, and their combined text.
 */
export interface BlocksResult {
  /**
   * In the order of the settings, except blocks left out.
   */
  readonly blocks: readonly BlockContents[];
  /**
   * Markdown to give to a model unchanged: an introductory line, then the sections. Equal states of vault and settings give equal bytes. Empty if no block has a quote.
   */
  readonly text: string;
  readonly tokens: number;
  /**
   * Blocks without a quote that fits into the space left by others.
   */
  readonly leftOut: readonly string[];
  /**
   * Passages that are left out, as the conversation was quoted them.
   */
  readonly quotedBefore: readonly Source[];
  /**
   * Unusable blocks, and unknown keys.
   */
  readonly problems: readonly BlockProblem[];
  readonly index: Freshness;
}
/**
 * A context block: quotes of the notes that answer its query.
 */
export interface BlockContents {
  readonly name: string;
  readonly query: string;
  /**
   * Its section of the whole text: its name as a heading, then quotes as in `context`, most confident first. Empty if no note is likely to answer.
   */
  readonly text: string;
  readonly tokens: number;
  /**
   * Its budget in the settings.
   */
  readonly maxTokens: number;
  /**
   * kept: it was built earlier and is still current. built: it was built for this answer. empty: no note is likely to answer its query.
   */
  readonly state: BlockState;
  /**
   * Its last quotes did not fit into the space left by other blocks.
   */
  readonly truncated: boolean;
  readonly builtMs: number;
  readonly expiresMs: number;
  /**
   * The places of the quotes, in order.
   */
  readonly sources: readonly Source[];
}
/**
 * An error in a context block; the others are not affected.
 */
export interface BlockProblem {
  /**
   * Null if it concerns the whole file.
   */
  readonly name: string | null;
  /**
   * A sentence that says what to change.
   */
  readonly message: string;
}
/**
 * Check which context blocks are current. Builds nothing.
 */
export type BlocksCheckParams = ReadParams;
/**
 * The state of all context blocks.
 */
export interface BlocksCheckResult {
  readonly blocks: readonly BlockStatus[];
  /**
   * The sum of their budgets; a conversation gets at most 3,000.
   */
  readonly askedTokens: number;
  /**
   * Unusable blocks, and unknown keys.
   */
  readonly problems: readonly BlockProblem[];
  readonly index: Freshness;
}
/**
 * Whether a context block is current.
 */
export interface BlockStatus {
  readonly name: string;
  readonly query: string;
  readonly maxTokens: number;
  readonly ttlHours: number;
  /**
   * Null if it is current. not-built: nobody has requested it yet. redefined: its settings, or those of search, have changed. expired: its time to live is over. changed, removed: a note that it depends on. outdated: other notes answer now, or with another confidence.
   */
  readonly stale: StaleKind | null;
  /**
   * `stale` as a sentence.
   */
  readonly reason: string | null;
  /**
   * The number of quotes when it was last built.
   */
  readonly quotes: number;
  readonly builtMs: number | null;
  readonly expiresMs: number | null;
}
/**
 * Read the text of a note, with credentials redacted.
 */
export interface ReadNoteParams extends ReadParams {
  /**
   * At most 4096 characters.
   */
  readonly path: string;
  /**
   * From 0. At least 0.
   */
  readonly startLine?: number;
  /**
   * 50 to 100000. Default: 10000.
   */
  readonly maxTokens?: number;
}
/**
 * A note, or the requested part of it.
 */
export interface NoteText {
  readonly path: string;
  /**
   * note: a Markdown file. For other kinds, offsets and lines refer to the text from `note/read`.
   */
  readonly kind: DocumentKind;
  readonly title: string;
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
  readonly properties: {
    readonly [k: string]: string | number | boolean | readonly string[];
  };
  readonly modifiedMs: number;
  readonly text: string;
  readonly startLine: number;
  /**
   * Lines of the whole note.
   */
  readonly lineCount: number;
  readonly truncated: boolean;
  /**
   * Paths of the notes it links to, unresolved links as written; the first 1000.
   */
  readonly links: readonly string[];
  readonly linkCount: number;
  /**
   * Paths of the notes that link to it; the first 1000.
   */
  readonly backlinks: readonly string[];
  readonly backlinkCount: number;
  readonly index: Freshness;
}
/**
 * List notes by folder, tag, type, domain, status or date, newest first.
 */
export interface ListNotesParams extends ReadParams {
  readonly folder?: string | null;
  readonly tag?: string | null;
  /**
   * From the front matter, like `domain` and `status`.
   */
  readonly type?: string | null;
  readonly domain?: string | null;
  /**
   * Notes with a status excluded by the settings are only listed if it is given here.
   */
  readonly status?: string | null;
  readonly modifiedAfterMs?: number | null;
  readonly modifiedBeforeMs?: number | null;
  /**
   * 1 to 1000. Default: 20.
   */
  readonly limit?: number;
  /**
   * 0 to 1000000000.
   */
  readonly offset?: number;
}
/**
 * A page of notes.
 */
export interface NoteList {
  readonly notes: readonly NoteSummary[];
  readonly total: number;
  readonly index: Freshness;
}
/**
 * One line of a listing.
 */
export interface NoteSummary {
  readonly path: string;
  /**
   * note: a Markdown file. For other kinds, offsets and lines refer to the text from `note/read`.
   */
  readonly kind: DocumentKind;
  readonly title: string;
  /**
   * The first 100; `note/read` returns all.
   */
  readonly tags: readonly string[];
  readonly type: string | null;
  readonly domain: string | null;
  readonly status: string | null;
  readonly modifiedMs: number;
  readonly sizeBytes: number;
}
/**
 * Write a new note, with redacted credentials and front matter, and answer once it can be found.
 */
export interface CaptureParams {
  /**
   * Markdown, at most 256 KiB in UTF-8. At most 262144 characters.
   */
  readonly text: string;
  readonly title?: string | null;
  /**
   * At most 1000 characters.
   */
  readonly domain?: string;
  /**
   * With or without `#`; spaces become dashes. At most 100.
   */
  readonly tags?: readonly string[];
  /**
   * Default: "note".
   */
  readonly type?: NoteType;
  /**
   * Where the text comes from: a program, an address, a book. At most 1000 characters.
   */
  readonly source?: string;
  readonly folder?: string | null;
  /**
   * The longest time to wait, in milliseconds, until the note can be found. 0 to 60000. Default: 1000.
   */
  readonly waitMs?: number;
}
/**
 * The note is written, and safe against a power cut.
 */
export interface CaptureResult {
  readonly path: string;
  readonly title: string;
  /**
   * False: an identical note, written today, already existed.
   */
  readonly created: boolean;
  /**
   * False: it is not indexed yet, because the wait was too short, or indexing is paused or has failed.
   */
  readonly searchable: boolean;
  /**
   * Credentials that were replaced by markers.
   */
  readonly redacted: number;
  /**
   * The number of each kind.
   */
  readonly redactions: {
    readonly [k: string]: number;
  };
  readonly index: Freshness;
}
/**
 * Report changes, in the order in which they happened.
 */
export interface VaultChangedParams {
  /**
   * At most 5000.
   */
  readonly changes: readonly Change[];
}
/**
 * A change of a file or folder. It only says where to look: the sidecar reads the disk.
 */
export interface Change {
  readonly kind: "created" | "deleted" | "modified" | "renamed";
  /**
   * At most 4096 characters.
   */
  readonly path: string;
  readonly oldPath?: string | null;
}
/**
 * The changes are queued; `index/updated` follows when they can be found.
 */
export interface Accepted {
  readonly accepted: number;
  /**
   * When the changes were reported: a value for `afterMs`.
   */
  readonly reportedMs: number;
}
/**
 * Report what the user did with a hit. It is stored on this machine only, as hashes of the query and the path.
 */
export interface FeedbackParams {
  /**
   * At most 4096 characters.
   */
  readonly query: string;
  /**
   * The hit's note. At most 4096 characters.
   */
  readonly path: string;
  /**
   * opened: by a person. dismissed: as not relevant. restored: it was dismissed by mistake. copied: its text, or a link to it. inserted: into a note, as a link or a quotation. used: by an agent.
   */
  readonly kind: FeedbackKind;
}
/**
 * An empty result: the request is done.
 */
export type Done = Record<string, never>;
/**
 * A request without parameters.
 */
export type NoParams = Record<string, never>;
/**
 * Rebuild the index from scratch; the old one answers queries until then.
 */
export type RebuildParams = Record<string, never>;
/**
 * Delete the vectors that are kept of a model; those of a model in use stay.
 */
export interface ForgetModelParams {
  /**
   * As in `models` of the status. At most 100 characters.
   */
  readonly id: string;
}
/**
 * Count the notes in a folder and in its direct subfolders by state.
 */
export interface InspectFoldersParams {
  /**
   * "" is the vault. At most 4096 characters.
   */
  readonly folder?: string;
  /**
   * Only folders with notes in this state. indexed: found. partial: only a part of it is found. hidden: left out of answers because of its status. waiting: new or changed, and not indexed yet. excluded: excluded by a rule. failed: it could not be indexed.
   */
  readonly state?: NoteState | null;
  /**
   * 0 to 1000000000.
   */
  readonly offset?: number;
  /**
   * 0 to 500. Default: 100.
   */
  readonly limit?: number;
}
/**
 * A folder, and a page of its direct subfolders, as counted at most a few seconds ago.
 */
export interface InspectFoldersResult {
  readonly folder: FolderState;
  /**
   * By name.
   */
  readonly folders: readonly FolderState[];
  /**
   * Folders on all pages.
   */
  readonly total: number;
}
/**
 * A folder with the states of all notes below it.
 */
export interface FolderState {
  /**
   * "" is the vault.
   */
  readonly path: string;
  readonly counts: StateCounts;
  /**
   * Direct subfolders with notes.
   */
  readonly folderCount: number;
  /**
   * The setting that excludes all notes below it; null if there is none.
   */
  readonly excludedBy: Message | null;
}
/**
 * How many notes are in each state.
 */
export interface StateCounts {
  readonly indexed: number;
  readonly partial: number;
  readonly hidden: number;
  readonly waiting: number;
  readonly excluded: number;
  readonly failed: number;
  /**
   * Notes with a passage that still lacks a vector of a model in use; their words are found.
   */
  readonly withoutVectors: number;
}
/**
 * List the notes in a folder with their states.
 */
export interface InspectNotesParams {
  /**
   * "" is the vault. At most 4096 characters.
   */
  readonly folder?: string;
  /**
   * Only notes in this state.
   */
  readonly state?: NoteState | null;
  /**
   * Whether notes in its subfolders are listed, too.
   */
  readonly below?: boolean;
  /**
   * 0 to 1000000000.
   */
  readonly offset?: number;
  /**
   * 0 to 500. Default: 100.
   */
  readonly limit?: number;
}
/**
 * A page of notes, by path.
 */
export interface InspectNotesResult {
  readonly notes: readonly NoteStateEntry[];
  readonly total: number;
}
/**
 * The state of one note.
 */
export interface NoteStateEntry {
  readonly path: string;
  readonly state: NoteState;
  /**
   * Null if the note is found.
   */
  readonly reason: Message | null;
}
/**
 * Explain whether a note can be found by any query, and what the index contains of it.
 */
export interface InspectNoteParams {
  /**
   * The note need not be indexed, or exist. At most 4096 characters.
   */
  readonly path: string;
}
/**
 * Why a note is or is not found.
 */
export interface NoteReport {
  readonly path: string;
  readonly state: ReportState;
  /**
   * All known reasons, that of the state first.
   */
  readonly reasons: readonly Message[];
  /**
   * Null if nothing of it is in the index.
   */
  readonly indexed: IndexedContent | null;
  /**
   * The file's current modification time; null if unknown.
   */
  readonly modifiedMs: number | null;
  readonly sizeBytes: number | null;
}
/**
 * The content of a note in the index.
 */
export interface IndexedContent {
  readonly title: string;
  readonly chunks: number;
  readonly words: number;
  /**
   * Languages other than English in which its words are stemmed.
   */
  readonly languages: readonly string[];
  /**
   * Redacted credentials, by kind.
   */
  readonly redactions: {
    readonly [k: string]: number;
  };
  /**
   * Headings whose sections the settings exclude; at most 20.
   */
  readonly skippedSections: readonly string[];
  /**
   * False: some of it still lacks a vector of a model in use.
   */
  readonly hasVectors: boolean;
  /**
   * The modification time of the indexed version of the file.
   */
  readonly modifiedMs: number;
  readonly sizeBytes: number;
}
/**
 * The vault's settings, as `.quarry.toml` at its root gives them, or the defaults.
 */
export interface Settings {
  /**
   * If not empty, only these folders are indexed.
   */
  readonly includeFolders: readonly string[];
  readonly excludeFolders: readonly string[];
  /**
   * "bundled", a local folder, a Hugging Face name, or that of an endpoint.
   */
  readonly model: string;
  /**
   * Headings whose sections are not indexed.
   */
  readonly skipSections: readonly string[];
  /**
   * 0 to 100.
   */
  readonly keywordWeight: number;
  /**
   * 0 to 100.
   */
  readonly denseWeight: number;
  /**
   * How the rankings of the retrievers are combined.
   */
  readonly fusion: Fusion;
  /**
   * none: a word matches only itself, not its other forms. A change re-indexes all notes; search keeps working.
   */
  readonly stemming: Stemming;
  /**
   * Whether notes in template folders are indexed.
   */
  readonly indexTemplates: boolean;
  /**
   * Whether the text of canvases is indexed.
   */
  readonly indexCanvases: boolean;
  /**
   * Whether the text of PDF files is indexed; needs the extra `pdf` of the engine.
   */
  readonly indexPdfs: boolean;
  /**
   * Notes whose property `status` has one of these values are not found.
   */
  readonly excludeStatus: readonly string[];
  /**
   * Folders whose notes are sensitive: never read, indexed or shown.
   */
  readonly sensitiveFolders: readonly string[];
  /**
   * Folders whose notes are restricted, with the same effect.
   */
  readonly restrictedFolders: readonly string[];
  /**
   * Where `capture` puts new notes; "" is the vault itself. At most 1000 characters.
   */
  readonly captureFolder: string;
  /**
   * Whether `capture` also accepts the reader's token.
   */
  readonly captureByAgents: boolean;
}
/**
 * Only the given settings change; comments in `.quarry.toml` are kept.
 */
export interface SettingsWriteParams {
  /**
   * If not empty, only these folders are indexed.
   */
  readonly includeFolders?: readonly string[];
  readonly excludeFolders?: readonly string[];
  /**
   * "bundled", a local folder, a Hugging Face name, or that of an endpoint.
   */
  readonly model?: string;
  /**
   * Headings whose sections are not indexed.
   */
  readonly skipSections?: readonly string[];
  /**
   * 0 to 100.
   */
  readonly keywordWeight?: number;
  /**
   * 0 to 100.
   */
  readonly denseWeight?: number;
  /**
   * How the rankings of the retrievers are combined.
   */
  readonly fusion?: Fusion;
  /**
   * none: a word matches only itself, not its other forms. A change re-indexes all notes; search keeps working.
   */
  readonly stemming?: Stemming;
  /**
   * Whether notes in template folders are indexed.
   */
  readonly indexTemplates?: boolean;
  /**
   * Whether the text of canvases is indexed.
   */
  readonly indexCanvases?: boolean;
  /**
   * Whether the text of PDF files is indexed; needs the extra `pdf` of the engine.
   */
  readonly indexPdfs?: boolean;
  /**
   * Notes whose property `status` has one of these values are not found.
   */
  readonly excludeStatus?: readonly string[];
  /**
   * Folders whose notes are sensitive: never read, indexed or shown.
   */
  readonly sensitiveFolders?: readonly string[];
  /**
   * Folders whose notes are restricted, with the same effect.
   */
  readonly restrictedFolders?: readonly string[];
  /**
   * Where `capture` puts new notes; "" is the vault itself. At most 1000 characters.
   */
  readonly captureFolder?: string;
  /**
   * Whether `capture` also accepts the reader's token.
   */
  readonly captureByAgents?: boolean;
}
/**
 * Exclude folders from the index, or include them again, by single entries of the settings; all other entries stay.
 *
 * Including a folder removes every entry of `excludeFolders` that excludes it, also those of parent folders, and adds
 * it to `includeFolders` if only listed folders are indexed and none of them contains it.
 */
export interface FoldersWriteParams {
  /**
   * At most 100.
   */
  readonly exclude?: readonly string[];
  /**
   * At most 100.
   */
  readonly include?: readonly string[];
}
/**
 * List the embedding models to choose from. Asks an Ollama on this machine which models it has.
 */
export interface ModelsListParams {
  /**
   * Another model to describe.
   */
  readonly model?: string | null;
}
/**
 * The models to choose from.
 */
export interface ModelsListResult {
  readonly models: readonly ModelChoice[];
  /**
   * The name of the one in the settings.
   */
  readonly chosen: string;
}
/**
 * An embedding model that the vault could use.
 */
export interface ModelChoice {
  /**
   * As the setting `model` takes it.
   */
  readonly name: string;
  /**
   * `scripts`: English, and languages of other scripts by way of it.
   */
  readonly languages: KnownLanguages | null;
  readonly sizeBytes: number | null;
  /**
   * To make the vectors that this vault lacks; null: no estimate.
   */
  readonly remainingMs: number | null;
  /**
   * Of nDCG@10 over the bundled model, on judged sets; null: not measured.
   */
  readonly gain: number | null;
  /**
   * That have its vector: with all of them, it answers as soon as it is chosen.
   */
  readonly doneChunks: number;
  readonly totalChunks: number;
  /**
   * On this machine.
   */
  readonly isHere: boolean;
  /**
   * Why it cannot be used at the moment.
   */
  readonly obstacle: Message | null;
  /**
   * What has to be confirmed before it is used.
   */
  readonly requests: readonly ConsentRequest[];
}
/**
 * A request that the user of this device has not confirmed yet.
 */
export interface ConsentRequest {
  readonly kind: ConsentKind;
  /**
   * The sentence to ask with.
   */
  readonly message: Message;
}
/**
 * Use an embedding model: record what the user of this device has confirmed, and write the setting.
 */
export interface ModelsUseParams {
  /**
   * At most 1000 characters.
   */
  readonly model: string;
  /**
   * The kinds of its requests that the user has said yes to.
   */
  readonly confirmed: readonly ConsentKind[];
}
/**
 * A search of several tiers at once.
 */
export interface TierSearchParams extends SearchOptions {
  /**
   * Names or kinds of tiers; `home` is this vault. Empty: all of them. At most 100.
   */
  readonly tiers?: readonly string[];
  /**
   * A working directory: without names, project tiers of other repositories are left out. Null: none is.
   */
  readonly folder?: string | null;
  /**
   * How long to wait for tiers, in milliseconds. One that is late is left out and named in `absent`. 50 to 60000. Default: 1000.
   */
  readonly deadlineMs?: number;
}
/**
 * Hits of all tiers, best first: by the weight of the tier times `confidence`, in each tier in its own order.
 *
 * A note or text that several tiers have is a hit of the highest one. `total` and `reachable` are sums. Sorted by
 * `created`, the tiers follow one another.
 */
export interface TierSearchResult extends SearchResult {
  readonly hits: readonly TierHit[];
  readonly absent: readonly AbsentTier[];
}
/**
 * A hit, and the tier that it comes from.
 */
export interface TierHit extends Hit {
  readonly origin: Origin;
}
/**
 * The tier that a hit comes from.
 */
export interface Origin {
  /**
   * home: the vault whose sidecar is asked. agent: notes of agents. project: notes in a repository. team: notes of a team. vault: another vault.
   */
  readonly kind: "agent" | "home" | "project" | "team" | "vault";
  readonly name: string;
  /**
   * The absolute path of its folder; null if the notes are in a database.
   */
  readonly path: string | null;
}
/**
 * A tier that did not answer in time, or not with all of its notes.
 */
export interface AbsentTier {
  readonly origin: Origin;
  /**
   * Why, and what to do.
   */
  readonly message: Message;
}
/**
 * The answer of one tier, which the sidecar of another vault merges with those of others.
 */
export interface TierAnswer extends SearchResult {
  /**
   * For each hit: two hits of different tiers are the same if they have one in common.
   */
  readonly digests: readonly string[][];
}
/**
 * The tiers that `tiers/search` can ask, this vault first, then by weight.
 */
export interface TierList {
  readonly tiers: readonly TierState[];
}
/**
 * A connected tier.
 */
export interface TierState {
  readonly origin: Origin;
  readonly weight: number;
  /**
   * The absolute path of its folder, or the address of its database.
   */
  readonly place: string;
  /**
   * Why it cannot be searched, and what to do; null if nothing is known.
   */
  readonly obstacle: Message | null;
}
/**
 * Cancel a request; its answer is the error `cancelled`.
 */
export interface CancelParams {
  readonly id: number | string;
}
/**
 * Sent after a commit: the results of an open query may have changed.
 */
export interface IndexUpdated {
  /**
   * Notes that are now current; at most 100.
   */
  readonly indexed: readonly string[];
  /**
   * Removed notes; at most 100.
   */
  readonly removed: readonly string[];
  readonly status: IndexStatus;
}
/**
 * The envelope of a failure; `id` is null when the request had none that could be read.
 */
export interface ErrorResponse {
  readonly id: number | string | null;
  readonly error: Error;
  /**
   * Default: "2.0".
   */
  readonly jsonrpc?: "2.0";
}
/**
 * A JSON-RPC error object.
 */
export interface Error {
  readonly code: number;
  readonly message: string;
  readonly data: ErrorData;
}
/**
 * Details of an error, for a program to act on.
 */
export interface ErrorData {
  /**
   * A stable word for the case, such as `bad-query` or `vault-locked`.
   */
  readonly kind: string;
  /**
   * What to do next, for a person.
   */
  readonly next: string;
  /**
   * UTF-16 offset into the query, where one can be named.
   */
  readonly position?: number | null;
  /**
   * With `bad-query`, the message by code; null for other kinds.
   */
  readonly message?: Message | null;
}

/** The version of the wire that these types describe. */
export const PROTOCOL_VERSION = 1;

export const LIMITS = {"maxConnections":64,"maxQueryChars":4096,"maxPathChars":4096,"maxIdChars":200,"maxTextChars":100000,"maxCaptureBytes":262144,"maxLimit":100,"maxOffset":100000,"minTokens":50,"maxTokens":100000,"minSnippetWidth":40,"maxSnippetWidth":1000,"maxWaitMs":60000,"minTierMs":50,"maxTierMs":60000,"tierMs":1000,"maxPage":500,"maxListedTags":100,"maxListedLinks":1000,"subjectConfidence":0.04,"weakConfidence":0.1,"charactersPerToken":4} as const;

export const KINDS = ["note","canvas","pdf"] as const;

export const INCOMPLETE = ["starting","scanning","indexing"] as const;

export const UNFINISHED = ["starting","scanning","indexing","embedding"] as const;

export const MODES = ["hybrid","keyword","semantic"] as const;

export const SORTS = ["relevance","modified","created","name"] as const;

export const FUSIONS = ["convex","rrf","six-signals"] as const;

export const NOTE_TYPES = ["note","signal","project","moc","daily"] as const;

export const RETRIEVERS = ["keyword","dense"] as const;

/** Every request: what it carries and what comes back. */
export interface Methods {
  readonly "initialize": { readonly params: InitializeParams; readonly result: InitializeResult };
  readonly "search": { readonly params: SearchOptions; readonly result: SearchResult };
  readonly "search/passages": { readonly params: HitOptions; readonly result: PassagesResult };
  readonly "search/examples": { readonly params: ExamplesParams; readonly result: ExamplesResult };
  readonly "explain": { readonly params: HitOptions; readonly result: ExplainResult };
  readonly "related": { readonly params: RelatedParams; readonly result: RelatedResult };
  readonly "context": { readonly params: ContextParams; readonly result: ContextResult };
  readonly "blocks/read": { readonly params: BlocksReadParams; readonly result: BlocksResult };
  readonly "blocks/check": { readonly params: BlocksCheckParams; readonly result: BlocksCheckResult };
  readonly "note/read": { readonly params: ReadNoteParams; readonly result: NoteText };
  readonly "notes/list": { readonly params: ListNotesParams; readonly result: NoteList };
  readonly "capture": { readonly params: CaptureParams; readonly result: CaptureResult };
  readonly "vault/changed": { readonly params: VaultChangedParams; readonly result: Accepted };
  readonly "feedback": { readonly params: FeedbackParams; readonly result: Done };
  readonly "index/status": { readonly params: NoParams; readonly result: IndexStatus };
  readonly "index/reconcile": { readonly params: NoParams; readonly result: IndexStatus };
  readonly "index/rebuild": { readonly params: RebuildParams; readonly result: IndexStatus };
  readonly "index/forgetModel": { readonly params: ForgetModelParams; readonly result: IndexStatus };
  readonly "index/pause": { readonly params: NoParams; readonly result: IndexStatus };
  readonly "index/resume": { readonly params: NoParams; readonly result: IndexStatus };
  readonly "inspect/folders": { readonly params: InspectFoldersParams; readonly result: InspectFoldersResult };
  readonly "inspect/notes": { readonly params: InspectNotesParams; readonly result: InspectNotesResult };
  readonly "inspect/note": { readonly params: InspectNoteParams; readonly result: NoteReport };
  readonly "settings/read": { readonly params: NoParams; readonly result: Settings };
  readonly "settings/write": { readonly params: SettingsWriteParams; readonly result: Settings };
  readonly "settings/folders": { readonly params: FoldersWriteParams; readonly result: Settings };
  readonly "models/list": { readonly params: ModelsListParams; readonly result: ModelsListResult };
  readonly "models/use": { readonly params: ModelsUseParams; readonly result: Settings };
  readonly "tiers/search": { readonly params: TierSearchParams; readonly result: TierSearchResult };
  readonly "tiers/answer": { readonly params: SearchOptions; readonly result: TierAnswer };
  readonly "tiers/list": { readonly params: NoParams; readonly result: TierList };
  readonly "shutdown": { readonly params: NoParams; readonly result: Done };
}

/** What a client may say unasked. */
export interface ClientNotifications {
  readonly "$/cancel": CancelParams;
}

/** What the sidecar says unasked. */
export interface ServerNotifications {
  readonly "index/progress": IndexStatus;
  readonly "index/updated": IndexUpdated;
}
