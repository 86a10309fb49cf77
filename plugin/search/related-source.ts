/**
 * The notes related to one note, or to a text that is selected in it, as the source of a list.
 *
 * The engine compares the note, or the text, with all others. Beside them stand the notes that mention the note by one of
 * its names without a link; they are looked for as phrases, and only where the whole note is meant.
 */
import { type Cancel, type Clock } from "../clock";
import { Emitter } from "../emitter";
import { BLANK_HIT, BLANK_PASSAGE, BLANK_RESULT } from "../protocol/blank";
import { type Hit, LIMITS, type RelatedNote, type SearchResult } from "../protocol/messages";
import { type Pending, type Requester } from "../sidecar/client";
import { type Answer, answerOf, type Relation, type ResultSource, type SearchState } from "./answer";
import { PassageLoader, type SearchOfHit } from "./passage-loader";

const REFRESH_MS = 1_000; // beside a note that is being written: its own saves change the index all the time
const RELATED = 10; // what comes behind is hardly related
const NEAR = 0.3; // cosine: of the pairs of linked notes in two vaults, 98 and 90 % are at least so near
const MENTIONS = 10;
const MAX_NAMES = 8;
const MIN_NAME = 3; // characters; a shorter name occurs in other words' abbreviations
const MAX_TEXT = 20_000; // the engine compares no more

/** What related notes are wanted for. */
export interface RelatedTo {
  readonly path: string;
  /** A text of the note; null: the whole note. */
  readonly text: string | null;
  /** What other notes call it. */
  readonly names: readonly string[];
}

export interface RelatedParts {
  readonly client: Requester;
  readonly clock: Clock;
  readonly snippetWidth: () => number;
  /** When a note was modified; the engine does not say. */
  readonly modifiedMs: (path: string) => number;
  /** Whether the note at `from` links to the one at `to`. */
  readonly isLinked: (from: string, to: string) => boolean;
}

export class RelatedSource implements ResultSource {
  readonly changed = new Emitter<SearchState>();
  /** Of the notes that mention the note: the others are found by no query. */
  readonly passages: PassageLoader;
  state: SearchState = { kind: "idle" };
  #target: RelatedTo | null = null;
  #pending: readonly Pending<unknown>[] = [];
  #mentioning: SearchOfHit | null = null;
  #lastRequestAt = -Infinity;
  #cancelTimer: Cancel = () => undefined;

  constructor(private readonly parts: RelatedParts) {
    this.passages = new PassageLoader(parts.client, () => this.#mentioning);
  }

  /** Asks what is related to `target`, unless that is what was asked last; null: there is no note. */
  show(target: RelatedTo | null): void {
    if (JSON.stringify(target) === JSON.stringify(this.#target)) return;
    this.#target = target;
    this.close();
    if (target === null) this.#setState({ kind: "idle" });
    else {
      this.#setState({ kind: "searching", query: target.path, previous: answerOf(this.state) });
      void this.#request(target, false);
    }
  }

  refresh(): void {
    const target = this.#target;
    if (!target) return;
    this.#cancelTimer();
    const waitMs = Math.max(0, this.#lastRequestAt + REFRESH_MS - this.parts.clock.now());
    this.#cancelTimer = this.parts.clock.after(waitMs, () => void this.#request(target, true));
  }

  close(): void {
    this.#cancelTimer();
    for (const pending of this.#pending) pending.cancel();
    this.#pending = [];
    this.passages.cancelAll();
  }

  async #request(target: RelatedTo, isRefresh: boolean): Promise<void> {
    const { client, clock } = this.parts;
    const { path, text } = target;
    const snippetWidth = this.parts.snippetWidth();
    const requestedAt = clock.now();
    this.#lastRequestAt = requestedAt;
    for (const pending of this.#pending) pending.cancel();
    const related = client.request("related", { path, ...(text !== null && { text: text.slice(0, MAX_TEXT) }), limit: RELATED, snippetWidth });
    const query = text === null ? mentionQuery(target.names) : "";
    const search = { query, mode: "keyword", limit: MENTIONS, snippetWidth, maxTokens: LIMITS.maxTokens, filters: { notNotes: [path] } } as const;
    const mentions = query === "" ? null : client.request("search", search);
    const pending = mentions ? [related, mentions] : [related];
    this.#pending = pending;
    const [reply, mentioned] = await Promise.all([related.reply, mentions?.reply]);
    if (this.#pending !== pending) return; // another note is shown by now
    this.#pending = [];
    if (!reply.ok) {
      if (reply.failure.kind !== "cancelled") this.#setState({ kind: "failed", query: path, failure: reply.failure, previous: answerOf(this.state) });
      return;
    }
    this.#mentioning = search;
    this.passages.foldAll();
    const mentioning = mentioned?.ok ? this.#unlinked(mentioned.value, path) : [];
    const answer = this.#answerFrom(reply.value.notes.filter(({ cosine }) => cosine === null || cosine >= NEAR), mentioning, { query: path, snippetWidth, tookMs: clock.now() - requestedAt, missing: reply.value.missing });
    this.#setState({ kind: "results", answer, isRefresh });
  }

  #answerFrom(notes: readonly RelatedNote[], mentions: readonly Hit[], rest: Pick<Answer, "query" | "snippetWidth" | "tookMs" | "missing">): Answer {
    const paths = new Set(notes.map(({ path }) => path));
    const relations = new Map<string, Relation>(mentions.map(({ path }) => [path, "mention"]));
    for (const { path, linked } of notes) if (linked) relations.set(path, "linked");
    const hits = [...notes.map((note) => this.#hitOf(note)), ...mentions.filter(({ path }) => !paths.has(path))];
    return {
      ...BLANK_RESULT,
      ...rest,
      hits,
      relations,
      similarities: new Map(notes.flatMap(({ path, cosine }) => (cosine === null ? [] : [[path, cosine] as const]))),
      mentionsFrom: notes.length,
      total: hits.length,
      reachable: hits.length,
      mode: "hybrid",
      limit: hits.length,
      lastWordIsPrefix: false,
      isAtRest: true,
    };
  }

  /** The hits that hold a name in their text, and no link to the note. */
  #unlinked({ hits, relaxed }: SearchResult, to: string): readonly Hit[] {
    if (relaxed) return []; // then it was not the name that was found
    return hits.filter((hit) => hit.passages.some(({ marks }) => marks.length > 0) && !this.parts.isLinked(hit.path, to));
  }

  #hitOf({ path, kind, title, score, headingPath, snippet, start, line, matchStart, matchEnd, anchor }: RelatedNote): Hit {
    // The engine marks the nearest sentence, which is most of what is quoted here: underlining it would tell nothing.
    const passage = { ...BLANK_PASSAGE, headingPath, snippet, start, line, matchStart, matchEnd, anchor };
    return { ...BLANK_HIT, path, kind, title, score, modifiedMs: this.parts.modifiedMs(path), passages: [passage] };
  }

  #setState(state: SearchState): void {
    this.state = state;
    this.changed.emit(state);
  }
}

/** A query for the notes that hold one of `names`; empty when none is long enough to mean something. */
export function mentionQuery(names: readonly string[]): string {
  const phrases = names.map((name) => name.replace(/["\\]/gu, " ").trim()).filter((name) => name.length >= MIN_NAME);
  return [...new Set(phrases)].slice(0, MAX_NAMES).map((phrase) => `"${phrase}"`).join(" OR ");
}
