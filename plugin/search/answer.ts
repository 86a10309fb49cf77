/** The state of a search, and the interface of whatever finds the rows of a list. */
import { type Emitter } from "../emitter";
import { type FeedbackKind, type Mode, type Passage, type SearchResult } from "../protocol/messages";
import { type Failure } from "../sidecar/failure";
import { type FurtherPassages } from "./passage-loader";
import { type TieredResult } from "./tiers";

/** The relation of a note to another one: one links to the other, or it mentions the other without a link. */
export type Relation = "linked" | "mention";

/** What the engine found. */
type Found = Pick<SearchResult, "hits" | "total" | "reachable" | "sort" | "clauses" | "missing" | "understood" | "isQuestion" | "corrections" | "unknownWords" | "relaxed" | "unmet" | "weakness" | "extract"> & Partial<Pick<TieredResult, "absent">>;

/** What names alone found, without an engine. */
export interface NamesResult extends SearchResult {
  /** Parts of the query that were left out, as typed. */
  readonly ignored: readonly string[];
}

/** What names leave out of a query; null for an answer of the engine. */
export function ignoredBy(result: Found): readonly string[] | null {
  return "ignored" in result ? (result as NamesResult).ignored : null;
}

/** What was asked, and how long the answer took. */
export interface Asked {
  readonly query: string;
  readonly mode: Mode;
  /** Maximum number of hits that was requested. */
  readonly limit: number;
  readonly snippetWidth: number;
  /** The last word was searched as a prefix. */
  readonly lastWordIsPrefix: boolean;
  /** Typing rests, so that the last word counts as it stands. */
  readonly isAtRest: boolean;
  /** From request to answer, as the user waits. */
  readonly tookMs: number;
}

export interface Answer extends Found, Asked {
  /** Set where only the names of notes were searched, with the parts of the query that this left out. */
  readonly byNames?: { readonly ignored: readonly string[] } | null;
  /** Of related notes: path -> relation, where there is one. */
  readonly relations?: ReadonlyMap<string, Relation>;
  /** Of related notes: path -> how near it is in meaning, 0 to 1, where that is known. */
  readonly similarities?: ReadonlyMap<string, number>;
  /** Of related notes: how many hits precede those that merely mention the note. */
  readonly mentionsFrom?: number;
}

export type SearchState =
  | { readonly kind: "idle" }
  | {
      readonly kind: "searching";
      readonly query: string;
      readonly previous: Answer | null;
      /** Set once nothing was found for a word that is being typed: its meaning is asked for when typing pauses. */
      readonly unmatched?: Answer;
    }
  | {
      readonly kind: "results";
      readonly answer: Answer;
      /** Repeats the query, because the index changed or typing paused: the selection stays on its note. */
      readonly isRefresh: boolean;
    }
  | { readonly kind: "failed"; readonly query: string; readonly failure: Failure; readonly previous: Answer | null };

/** The part of a result that a screen needs, with what was asked. */
export function answerFrom(found: SearchResult, asked: Asked): Answer {
  const ignored = ignoredBy(found);
  return { ...found, ...asked, byNames: ignored && { ignored } };
}

/** Whether the query is a question, or so long that no note need contain all of its words. */
export function needsNoWord({ query, isQuestion }: Pick<Answer, "query" | "isQuestion">): boolean {
  return isQuestion || query.replace(/-?(?:\S+:)?(?:"[^"]*"|\[[^\]]*\]|(?<=:)\S+)|-\S+/gu, "").trim().split(/\s+/u).length > 3;
}

/** The answer whose hits a screen should show: the latest one, also while a newer one is pending. */
export function answerOf(state: SearchState): Answer | null {
  if (state.kind === "results") return state.answer;
  return state.kind === "idle" ? null : state.previous;
}

/** The query of `answer` without the clause at `at`; null where the rest would mean something else. */
export function queryWithout({ query, clauses }: Pick<Answer, "query" | "clauses">, at: number): string | null {
  const clause = clauses[at];
  if (clause?.kind === "time") return `${query.slice(0, clause.start)}(${query.slice(clause.start, clause.end).trim()})${query.slice(clause.end)}`; // words, in parentheses
  return clause?.removable === true ? (query.slice(0, clause.start) + query.slice(clause.end)).trim() : null;
}

/** The query of `answer` without its filters; exclusions and phrases stay. Null where it has none that can be left out. */
export function queryWithoutFilters(answer: Pick<Answer, "query" | "clauses">): string | null {
  const at = [...answer.clauses].findLastIndex(({ kind, negated, removable }) => kind !== "phrase" && !negated && removable);
  const query = queryWithout(answer, at);
  return query === null ? null : (queryWithoutFilters({ query, clauses: answer.clauses.slice(0, at) }) ?? query);
}

export interface ResultSource {
  readonly state: SearchState;
  readonly changed: Emitter<SearchState>;
  readonly passages: FurtherSource;
  /** The passage of a hit that starts at `start`, quoted at length; null where it is gone. Left out where no source has more of it. */
  readonly widePassage?: (path: string, start: number) => Promise<Passage | null>;
  /** Asks for further hits, where there are any; those that are there stay. */
  more?(): void;
  /** Repeats the request, because the index changed. */
  refresh(): void;
  /** Keeps the rows from being replaced while the user selects one of them. Left out where they never are. */
  freezeRows?(): void;
  /** Tells the engine what the user made of a hit. Left out where there is no query to learn from. */
  report?(path: string, kind: FeedbackKind): void;
  close(): void;
}

/** The further passages of hits. */
export interface FurtherSource {
  /** Emits the path of a hit whose further passages changed. */
  readonly changed: Emitter<string>;
  stateOf(path: string): FurtherPassages;
  /** Requests the further passages of a hit, unless they are there or on their way. */
  unfold(path: string): void;
  fold(path: string): void;
}
