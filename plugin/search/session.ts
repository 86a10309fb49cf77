/**
 * A search box without a screen: keystrokes in, search states out.
 *
 * The newest query wins: an older request is cancelled, and its answer is discarded if it arrives all the same. While an
 * answer is pending, the previous one stays available, so that a screen can keep its rows.
 *
 * The last word of a typed query is searched as a prefix, and stays one: a user who stops at `bell` sees "bellows" and
 * keeps seeing it. Only a prefix that matches nothing is searched once more as a whole word when typing pauses, because the
 * engine corrects whole words only.
 *
 * While the query changes, only as many hits are asked for as are seen; the others follow when it rests.
 */
import { type Cancel, type Clock } from "../clock";
import { type ExplainResult, type FeedbackKind, type Mode, type Passage, type SearchResult, type SortOrder } from "../protocol/messages";
import { Emitter } from "../emitter";
import { type Requester, type Pending } from "../sidecar/client";
import { type Reply } from "../sidecar/failure";
import { type FurtherPassages, PassageLoader, type SearchOfHit } from "./passage-loader";
import { type ResultSource } from "./result-source";
import { type Answer, type Asked, type SearchState, answerFrom, answerOf, ignoredBy } from "./answer";
import { joined, pageAfter } from "./pages";
import { MAX_QUERY_CHARS } from "./limits";
import { lastWordIsUnknown } from "./spelling";
import { FIRST_HITS, SLOW_MS, belowPrefix } from "./stages";
import { widePassage } from "./wide-passage";

const THROTTLE_MS = 60; // a fast keystroke: the first is searched at once, later ones at most this often
const TYPING_PAUSE_MS = 600; // longer than a slow typist's pause within a word, shorter than reading the first row takes
const REST_MS = 200; // after an answer, for the hits that are not in sight: longer than between two keys
const REFRESH_MS = 250; // while notes are being indexed; four updates a second look live
// The budget is meant for agents. With `scan` a note costs a snippet, of 640 characters at most, so 100 notes stay far below this.
const MAX_TOKENS = 100_000;
// Where few passages match, an answer would have all of them whatever the limit. What is paged through needs no such help.
const GUARD = { expandSmallResults: false } as const;

export interface SearchOptions {
  readonly mode: Mode;
  readonly limit: number;
  /** Hits that are in sight, which are asked for first; all of `limit`, where it is not known. */
  readonly first?: number | undefined;
  /** Maximum length of a snippet, in characters of its source. */
  readonly snippetWidth: number;
  /** What else is asked of the engine; for the further passages of a hit as well. */
  readonly scope?: Pick<SearchOfHit, "filters">;
}

const MAX_LIMIT = 100; // of the protocol

export class SearchSession implements ResultSource {
  readonly changed = new Emitter<SearchState>();
  readonly furtherChanged: Emitter<string>;
  private readonly passages: PassageLoader;
  private current: SearchState = { kind: "idle" };
  private query = "";
  private isTyping = false;
  private typingHasPaused = false;
  private rowsAreFrozen = false;
  private pending: Pending<SearchResult> | null = null;
  private lastRequestAt = -Infinity;
  private cancelTimer: Cancel = () => undefined;
  private cancelPauseTimer: Cancel = () => undefined;
  private refreshIsDue = false;
  private meaningIsSlow = false;
  private firstStage: Pending<SearchResult> | null = null; // by words alone, while meaning is waited for
  private wanted: number; // hits that the list is to have
  private cancelRest: Cancel = () => undefined;
  private order: SortOrder = "relevance";

  constructor(
    private readonly client: Requester,
    private readonly clock: Clock,
    private options: SearchOptions,
  ) {
    this.wanted = this.atFirst;
    this.passages = new PassageLoader(client);
    this.furtherChanged = this.passages.changed;
  }

  get state(): SearchState {
    return this.current;
  }

  get mode(): Mode {
    return this.options.mode;
  }

  get sort(): SortOrder {
    return this.order;
  }

  get snippetWidth(): number {
    return this.options.snippetWidth;
  }

  /** Searches for `text`. `isComplete`: it was not typed but taken from elsewhere, so its last word is not a prefix. */
  setQuery(text: string, isComplete = false): void {
    const query = text.trim().slice(0, MAX_QUERY_CHARS);
    if (query === this.query) return;
    this.query = query;
    this.isTyping = !isComplete;
    this.typingHasPaused = false;
    this.rowsAreFrozen = false;
    this.wanted = this.atFirst;
    this.cancelTimer();
    this.cancelPauseTimer();
    if (!isComplete) this.cancelPauseTimer = this.clock.after(TYPING_PAUSE_MS, () => { this.finishTyping(); });
    if (query === "") this.clear();
    else this.schedule(THROTTLE_MS, false);
  }

  setOptions(options: SearchOptions): void {
    const before = this.options;
    this.options = options;
    if (this.query === "") return;
    if (options.mode !== before.mode || options.limit !== before.limit) this.schedule(0, false);
    else if (options.snippetWidth !== before.snippetWidth) this.refresh();
  }

  /** Asks for the hits in another order. */
  setSort(sort: SortOrder): void {
    if (sort === this.order) return;
    this.order = sort;
    this.wanted = this.atFirst;
    if (this.query !== "") this.schedule(0, false);
  }

  /** Repeats the query because the index changed or the engine reconnected. The state does not become `searching`. */
  refresh(): void {
    if (this.query === "" || (this.current.kind === "searching" && !this.pending)) return; // a request is scheduled anyway
    // A pending answer may be older than the change: repeat the query once it has arrived.
    if (this.pending) this.refreshIsDue = true;
    else this.schedule(REFRESH_MS, true);
  }

  /** Asks for further hits, as many as the limit at once. The rows that are there stay. */
  more(): void {
    this.extendTo((answerOf(this.current)?.hits.length ?? 0) + this.options.limit);
  }

  private extendTo(wanted: number): void {
    const answer = answerOf(this.current);
    if (this.pending || this.current.kind !== "results" || !answer || answer.hits.length >= answer.reachable) return;
    this.wanted = wanted;
    void this.request(true, answer); // a refresh that is scheduled comes all the same, and brings all that is wanted
  }

  /** Typing has paused or ended: a last word that is a prefix of nothing is now corrected. */
  finishTyping(): void {
    this.cancelPauseTimer();
    this.typingHasPaused = true;
    this.correctIfDue();
  }

  /** Keeps the rows from being replaced by a correction while the user selects one of them. */
  freezeRows(): void {
    this.rowsAreFrozen = true;
  }

  /** Explains why a note is or is not in the results of the current query. */
  explain(path: string): Promise<Reply<ExplainResult>> {
    const { query, isTyping: typing } = this;
    const { mode } = this.options;
    const limit = Math.min(MAX_LIMIT, Math.max(this.options.limit, this.wanted));
    return this.client.request("explain", { query, path, mode, limit, typing }).reply;
  }

  /** Reports what was made of a hit of the current answer. An engine of an earlier version refuses, which nobody misses. */
  report(path: string, kind: FeedbackKind): void {
    const answer = answerOf(this.current);
    if (answer) this.client.request("feedback", { query: answer.query, path, kind });
  }

  /** The further passages of a hit in the current answer. */
  furtherOf(path: string): FurtherPassages {
    return this.passages.stateOf(path);
  }

  fold(path: string): void {
    this.passages.fold(path);
  }

  /** Requests the further passages of a hit in the current answer. */
  unfold(path: string): void {
    const answer = answerOf(this.current);
    if (answer) this.passages.unfold(path, this.searchOf(answer));
  }

  async widePassage(path: string, start: number): Promise<Passage | null> {
    const answer = answerOf(this.current);
    return answer && widePassage(this.client, this.searchOf(answer), path, start);
  }

  /** Cancels the pending request and all timers; the session can be used again. */
  close(): void {
    this.cancelPauseTimer();
    this.cancelTimer();
    this.cancelRest();
    this.pending?.cancel();
    this.pending = null;
    this.endFirstStage();
    this.passages.cancelAll();
  }

  private get atFirst(): number {
    const { limit, first = limit } = this.options;
    return Math.min(limit, first);
  }

  /** Asks for the hits that are not in sight, once the query rests. */
  private completeSoon({ hits, reachable }: Answer): void {
    const { limit } = this.options;
    if (hits.length < Math.min(limit, reachable)) this.cancelRest = this.clock.after(REST_MS, () => { this.extendTo(limit); });
    else this.wanted = Math.max(this.wanted, limit); // of an answer that is whole, a new note pushes none out
  }

  private clear(): void {
    this.close();
    this.setState({ kind: "idle" });
  }

  private schedule(intervalMs: number, isRefresh: boolean): void {
    this.cancelTimer();
    const waitMs = Math.max(0, this.lastRequestAt + intervalMs - this.clock.now());
    if (waitMs === 0) void this.request(isRefresh);
    else this.cancelTimer = this.clock.after(waitMs, () => void this.request(isRefresh));
    if (!isRefresh) this.setState({ kind: "searching", query: this.query, previous: answerOf(this.current) });
  }

  /** Asks for all hits that are wanted, page by page; those of `before` are there. */
  private async request(isRefresh: boolean, before: Answer | null = null): Promise<void> {
    const { query, isTyping, wanted } = this;
    const order = this.order === "relevance" ? {} : { sort: this.order };
    const limit = Math.min(MAX_LIMIT, wanted);
    const page = pageAfter(before?.hits.length ?? 0, wanted, before?.reachable);
    if (!page) return;
    const { mode, snippetWidth, scope } = this.options;
    const earlier = this.pending;
    const requestedAt = this.clock.now();
    this.lastRequestAt = requestedAt;
    this.cancelRest();
    this.refreshIsDue = false;
    const params = { query, typing: isTyping, maxTokens: MAX_TOKENS, snippetWidth, ...GUARD, ...scope };
    this.endFirstStage();
    const isStaged = mode === "hybrid" && isTyping && !isRefresh && this.meaningIsSlow && this.order === "relevance";
    if (isStaged) this.firstStage = this.client.request("search", { ...params, mode: "keyword", limit: Math.min(FIRST_HITS, limit) });
    const pending = this.client.request("search", {
      ...params,
      mode,
      limit: page.limit,
      ...order,
      ...(page.offset > 0 && { offset: page.offset }),
      extract: mode === "hybrid" && before === null, // the engine looks for it only where a question is asked
      ...(earlier && { supersedes: earlier.id }),
    });
    this.pending = pending;
    earlier?.abandon();
    const asked = { query, mode, limit, snippetWidth, lastWordIsPrefix: isTyping };
    const shown = this.showFirstStage(asked, pending, requestedAt);

    const reply = await pending.reply;
    if (this.pending !== pending) return; // superseded
    this.pending = null;
    this.endFirstStage();
    if (query !== this.query) return; // a newer query is scheduled
    if (reply.ok) {
      const tookMs = this.clock.now() - requestedAt;
      if (mode === "hybrid" && ignoredBy(reply.value) === null) this.meaningIsSlow = tookMs > SLOW_MS;
      const { hits, reachable } = reply.value;
      const known = before?.hits.length ?? 0;
      let answer = answerFrom({ ...reply.value, hits: belowPrefix(shown.hits, hits, this.rowsAreFrozen) }, { ...asked, tookMs });
      if (before) answer = { ...before, hits: joined(before.hits, hits), reachable };
      if (answer.hits.length === known) answer = { ...answer, reachable: known }; // the end, whatever was said of it
      if (isRefresh && pageAfter(answer.hits.length, wanted, answer.reachable)) {
        await this.request(isRefresh, answer);
        return;
      }
      this.completeSoon(answer);
      this.setState({ kind: "results", answer, isRefresh: shown.hits.length > 0 || (isRefresh && !hasNewCorrections(answer, this.current)) });
    } else if (reply.failure.kind !== "cancelled") {
      this.setState({ kind: "failed", query, failure: reply.failure, previous: answerOf(this.current) });
    }
    this.repeatIfDue();
  }

  /** Shows what is found by words as long as the whole answer is `pending`; the result has the hits that are shown. */
  private showFirstStage(asked: Omit<Asked, "tookMs">, pending: Pending<SearchResult>, requestedAt: number): Pick<SearchResult, "hits"> {
    const shown: { hits: SearchResult["hits"] } = { hits: [] };
    void this.firstStage?.reply.then((reply) => {
      if (this.pending !== pending || asked.query !== this.query || !reply.ok || reply.value.hits.length === 0) return;
      shown.hits = reply.value.hits;
      this.setState({ kind: "results", answer: answerFrom(reply.value, { ...asked, tookMs: this.clock.now() - requestedAt }), isRefresh: false });
    });
    return shown;
  }

  private endFirstStage(): void {
    this.firstStage?.cancel();
    this.firstStage = null;
  }

  private repeatIfDue(): void {
    if (this.refreshIsDue) this.refresh();
    else this.correctIfDue();
  }

  private correctIfDue(): void {
    const { current } = this;
    if (!this.typingHasPaused || this.rowsAreFrozen || this.pending || current.kind !== "results") return;
    if (!current.answer.lastWordIsPrefix || !lastWordIsUnknown(current.answer)) return;
    this.isTyping = false;
    this.schedule(0, true);
  }

  private setState(state: SearchState): void {
    this.current = state;
    this.updatePassages(state);
    this.changed.emit(state);
  }

  private searchOf({ query, mode, limit, snippetWidth, lastWordIsPrefix }: Answer): SearchOfHit {
    return { query, mode, limit, snippetWidth, typing: lastWordIsPrefix, ...GUARD, ...this.options.scope };
  }

  private updatePassages(state: SearchState): void {
    switch (state.kind) {
      case "idle":
        this.passages.foldAll();
        return;
      case "searching":
        this.passages.cancelAll();
        return;
      case "results": {
        const { answer, isRefresh } = state;
        const expandable = answer.hits.filter(({ furtherPassages }) => furtherPassages > 0);
        if (isRefresh) this.passages.reload(this.searchOf(answer), new Set(expandable.map(({ path }) => path)));
        else this.passages.foldAll();
        return;
      }
      case "failed":
        return; // the rows of the previous answer stay
    }
  }
}

/** Whether `answer` is for other corrections than the answer before, so that the old selection means nothing. */
function hasNewCorrections(answer: Answer, before: SearchState): boolean {
  const words = ({ corrections }: Answer): string => corrections.map(({ used }) => used).join(" ");
  return before.kind === "results" && !before.answer.byNames && words(answer) !== words(before.answer);
}
