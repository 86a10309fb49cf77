/**
 * A search box without a screen: keystrokes in, search states out.
 *
 * The newest query wins: an older request is cancelled, and its answer is discarded if it arrives all the same. While an
 * answer is pending, the previous one stays available, so that a screen can keep its rows.
 *
 * The last word of a typed query is searched as a prefix, and stays one: a user who stops at `bell` sees "bellows" and
 * keeps seeing it. A word that is not whole yet has no meaning, so that nothing is near to `bel`, until typing pauses. Then
 * it is compared as it stands; a prefix that matches nothing is searched as a whole word, because the engine corrects no other.
 * Until then the state says that nothing matches, beside the rows before it. A query that was put in whole does not wait.
 *
 * While the query changes, only as many hits are asked for as are in sight; the others follow when typing pauses. If search by
 * meaning was slow, a search by words alone is shown first (`firstStage`) until the whole answer arrives.
 */
import { type Cancel, type Clock } from "../clock";
import { type ExplainResult, type FeedbackKind, LIMITS, type Mode, type Passage, type SearchResult, type SortOrder } from "../protocol/messages";
import { Emitter } from "../emitter";
import { type Requester, type Pending } from "../sidecar/client";
import { type Reply } from "../sidecar/failure";
import { PassageLoader, type SearchOfHit, widePassage } from "./passage-loader";
import { type Answer, answerFrom, answerOf, type Asked, ignoredBy, type ResultSource, type SearchState } from "./answer";
import { FIRST_HITS, joined, mergeStages, type Page, pageAfter, SLOW_MS, steady } from "./pages";
import { lastWordIsUnfinished, lastWordIsUnknown } from "./spelling";

const THROTTLE_MS = 60; // a fast keystroke: the first is searched at once, later ones at most this often
const TYPING_PAUSE_MS = 600; // longer than a slow typist's pause within a word, shorter than reading the first row takes
const REST_MS = 200; // after an answer, for the hits that are not in sight: later than anything that is
const REFRESH_MS = 250; // while notes are being indexed; four updates a second look live
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
  readonly scope?: Pick<SearchOfHit, "filters" | "strict">;
}

/** Whether the query is being typed; its last word is a prefix until typing has `ended`. */
type Typing =
  | { readonly kind: "typing"; readonly cancelPause: Cancel }
  | { readonly kind: "paused" }
  | { readonly kind: "ended" };

/** A search on its way, in one or two stages. */
interface Flight {
  readonly pending: Pending<SearchResult>;
  /** By words alone, while meaning is waited for. */
  readonly firstStage: Pending<SearchResult> | null;
}

/** What the session is doing about its query. */
type Work =
  | { readonly kind: "resting" }
  /** A request is scheduled; `earlier` is the one on its way that it will supersede. */
  | { readonly kind: "due"; readonly cancel: Cancel; readonly earlier: Flight | null }
  /** `repeats`: the index changed meanwhile, so the answer may be older than the change. */
  | { readonly kind: "asking"; readonly flight: Flight; readonly repeats: boolean }
  /** The initial page is shown; the remaining hits are scheduled. */
  | { readonly kind: "remaining"; readonly cancel: Cancel };

const RESTING: Work = { kind: "resting" };

export class SearchSession implements ResultSource {
  readonly changed = new Emitter<SearchState>();
  readonly passages: PassageLoader;
  state: SearchState = { kind: "idle" };
  #query = "";
  #order: SortOrder = "relevance";
  #typing: Typing = { kind: "ended" };
  #work: Work = RESTING;
  #wanted: number; // hits that the list is to have
  #rowsAreFrozen = false;
  /** Nothing was found for a word that is being typed: the rows before it stay until typing rests. */
  #held: Answer | null = null;
  #meaningIsSlow = false;
  #lastRequestAt = -Infinity;

  constructor(
    private readonly client: Requester,
    private readonly clock: Clock,
    private options: SearchOptions,
  ) {
    this.#wanted = this.#initialPageSize;
    this.passages = new PassageLoader(client, () => this.#searchOfHits);
  }

  get sort(): SortOrder {
    return this.#order;
  }

  get #initialPageSize(): number {
    const { limit, first = limit } = this.options;
    return Math.min(limit, first);
  }

  // --- what changes the query --------------------------------------------------------------------

  /** Searches for `text`. `isComplete`: it was not typed but taken from elsewhere, so its last word is not a prefix. */
  setQuery(text: string, isComplete = false): void {
    const query = text.trim().slice(0, LIMITS.maxQueryChars);
    if (query === this.#query) return;
    this.#query = query;
    this.#rowsAreFrozen = false;
    this.#wanted = this.#initialPageSize;
    this.#setTyping(isComplete ? { kind: "ended" } : { kind: "typing", cancelPause: this.clock.after(TYPING_PAUSE_MS, () => { this.finishTyping(); }) });
    if (query === "") {
      this.close();
      this.#setState({ kind: "idle" });
    } else this.#schedule(THROTTLE_MS, false);
  }

  setOptions(options: SearchOptions): void {
    const before = this.options;
    this.options = options;
    if (this.#query === "") return;
    if (options.mode !== before.mode || options.limit !== before.limit) this.#schedule(0, false);
    else if (options.snippetWidth !== before.snippetWidth) this.refresh();
  }

  /** Asks for the hits in another order. */
  setSort(sort: SortOrder): void {
    if (sort === this.#order) return;
    this.#order = sort;
    this.#wanted = this.#initialPageSize;
    if (this.#query !== "") this.#schedule(0, false);
  }

  /** Typing has paused or ended: a last word that is a prefix of nothing is now corrected. */
  finishTyping(): void {
    if (this.#typing.kind === "typing") this.#setTyping({ kind: "paused" });
    this.#correctIfDue();
    if (this.#work.kind === "resting" && this.state.kind === "results") this.#fetchRemaining(this.state.answer);
  }

  /** Keeps the rows from being replaced by a correction while the user selects one of them. */
  freezeRows(): void {
    this.#rowsAreFrozen = true;
  }

  /** Cancels the pending request and all timers; the session can be used again. */
  close(): void {
    if (this.#typing.kind === "typing") this.#setTyping({ kind: "paused" });
    const flight = this.#dropWork();
    flight?.pending.cancel();
    flight?.firstStage?.cancel();
    this.passages.cancelAll();
  }

  #setTyping(typing: Typing): void {
    if (this.#typing.kind === "typing") this.#typing.cancelPause();
    this.#typing = typing;
  }

  // --- what changes the rows ----------------------------------------------------------------------

  /** Repeats the query because the index changed or the engine reconnected. The state does not become `searching`. */
  refresh(): void {
    if (this.#query === "" || this.#work.kind === "due") return;
    if (this.#work.kind === "asking") {
      this.#work = { ...this.#work, repeats: true };
      return;
    }
    if (this.#work.kind === "remaining") this.#wanted = Math.max(this.#wanted, this.options.limit);
    this.#schedule(REFRESH_MS, true);
  }

  /** Asks for further hits, as many as the limit at once. The rows that are there stay. */
  more(): void {
    this.#extendTo((answerOf(this.state)?.hits.length ?? 0) + this.options.limit);
  }

  #extendTo(wanted: number): void {
    const current = this.state;
    if (current.kind !== "results" || current.answer.hits.length >= current.answer.reachable) return;
    this.#wanted = Math.max(this.#wanted, wanted); // what is on its way is followed by them
    if (!flightOf(this.#work)) void this.#request(true, current.answer, this.#work.kind === "due");
  }

  /** Requests the hits that are not in sight, unless the next key is to be expected: it would wait for them to be drawn. */
  #fetchRemaining({ hits, reachable }: Answer): void {
    const { limit } = this.options;
    if (hits.length >= Math.min(limit, reachable)) this.#wanted = Math.max(this.#wanted, limit); // a new note pushes none out of a complete answer
    else if (this.#typing.kind !== "typing") this.#work = { kind: "remaining", cancel: this.clock.after(REST_MS, () => { this.#extendTo(limit); }) };
  }

  #correctIfDue(): void {
    const answer = this.#held ?? (this.state.kind === "results" ? this.state.answer : null);
    if (this.#typing.kind !== "paused" || this.#rowsAreFrozen || flightOf(this.#work) || !answer?.lastWordIsPrefix) return;
    const isUnknown = lastWordIsUnknown(answer);
    if (isUnknown) this.#setTyping({ kind: "ended" });
    if (isUnknown || isUnfinished(answer)) this.#schedule(0, this.#held === null);
  }

  // --- requests -----------------------------------------------------------------------------------

  #schedule(intervalMs: number, isRefresh: boolean): void {
    const earlier = this.#dropWork();
    const waitMs = Math.max(0, this.#lastRequestAt + intervalMs - this.clock.now());
    const cancel = waitMs === 0 ? (): void => undefined : this.clock.after(waitMs, () => void this.#request(isRefresh));
    this.#work = { kind: "due", cancel, earlier };
    if (waitMs === 0) void this.#request(isRefresh);
    if (!isRefresh) this.#setState({ kind: "searching", query: this.#query, previous: answerOf(this.state) });
  }

  /** Ends what is scheduled; the result is the search that is still on its way. */
  #dropWork(): Flight | null {
    const work = this.#work;
    this.#held = null;
    if (work.kind === "due" || work.kind === "remaining") work.cancel();
    this.#work = RESTING;
    return flightOf(work);
  }

  /** Requests the next page of the hits that are wanted, behind those of `before`. `repeats`: a refresh follows. */
  async #request(isRefresh: boolean, before: Answer | null = null, repeats = false): Promise<void> {
    const known = before?.hits.length ?? 0;
    const page = pageAfter(known, this.#wanted, before?.reachable);
    if (!page) return;
    const query = this.#query;
    const { mode, snippetWidth } = this.options;
    const requestedAt = this.clock.now();
    if (!before) this.#lastRequestAt = requestedAt; // a key does not wait because further hits were asked for
    const asked = { query, mode, limit: Math.min(LIMITS.maxLimit, this.#wanted), snippetWidth, lastWordIsPrefix: this.#typing.kind !== "ended", isAtRest: this.#typing.kind !== "typing" };
    const earlier = answerOf(this.state);
    const flight = this.#send(asked, page, isRefresh);
    this.#work = { kind: "asking", flight, repeats };
    const shown = this.#showFirstStage(asked, flight, requestedAt);

    const reply = await flight.pending.reply;
    const landed = this.#land(flight);
    if (!landed) return;
    if (reply.ok) {
      const tookMs = this.clock.now() - requestedAt;
      if (mode === "hybrid" && ignoredBy(reply.value) === null) this.#meaningIsSlow = tookMs > SLOW_MS;
      const { hits: found, reachable } = reply.value;
      const isGoingOn = earlier && !isRefresh && (query.startsWith(earlier.query) || earlier.query.startsWith(query));
      const hits = isGoingOn && this.#order === "relevance" && shown.hits.length === 0 ? steady(earlier.hits, found, query) : found;
      let answer = answerFrom({ ...reply.value, hits: mergeStages(shown.hits, hits, this.#rowsAreFrozen) }, { ...asked, tookMs });
      if (before) answer = { ...before, hits: joined(before.hits, hits), reachable };
      if (answer.hits.length === known) answer = { ...answer, reachable: known }; // the end, whatever `reachable` was
      if (isRefresh && pageAfter(answer.hits.length, this.#wanted, answer.reachable)) {
        await this.#request(isRefresh, answer, landed.repeats);
        return;
      }
      if (answer.hits.length === 0 && answer.unmet === null && isUnfinished(answer)) {
        this.#hold(answer, isGoingOn === true);
        return;
      }
      this.#fetchRemaining(answer);
      this.#setState({ kind: "results", answer, isRefresh: shown.hits.length > 0 || (isRefresh && !hasNewCorrections(answer, this.state)) });
    } else if (reply.failure.kind !== "cancelled") {
      this.#setState({ kind: "failed", query, failure: reply.failure, previous: answerOf(this.state) });
    }
    if (landed.repeats) this.refresh();
    else this.#correctIfDue();
  }

  /** Keeps the rows of the query before, unless `answer`, which has none, is to something else. */
  #hold(answer: Answer, isGoingOn: boolean): void {
    this.#held = answer;
    if (this.#typing.kind === "typing" && isGoingOn) this.#setState({ kind: "searching", query: answer.query, previous: answerOf(this.state), unmatched: answer });
    else this.finishTyping();
  }

  /** Sends the request, in two stages if meaning is slow; it supersedes the one on its way. */
  #send({ query, mode, limit, snippetWidth, lastWordIsPrefix, isAtRest }: Omit<Asked, "tookMs">, page: Page, isRefresh: boolean): Flight {
    const earlier = this.#dropWork();
    earlier?.firstStage?.cancel();
    const params = { query, typing: lastWordIsPrefix, paused: isAtRest, maxTokens: LIMITS.maxTokens, snippetWidth, ...GUARD, ...this.options.scope };
    const isStaged = mode === "hybrid" && lastWordIsPrefix && !isRefresh && this.#meaningIsSlow && this.#order === "relevance";
    const firstStage = isStaged ? this.client.request("search", { ...params, mode: "keyword", limit: Math.min(FIRST_HITS, limit) }) : null;
    const pending = this.client.request("search", {
      ...params,
      mode,
      limit: page.limit,
      ...(this.#order !== "relevance" && { sort: this.#order }),
      ...(page.offset > 0 && { offset: page.offset }),
      extract: mode === "hybrid" && page.offset === 0, // the engine looks for it only where a question is asked
      ...(earlier && { supersedes: earlier.pending.id }),
    });
    earlier?.pending.abandon();
    return { pending, firstStage };
  }

  /** Takes a search that was answered off the work; null where it is superseded or about to be. */
  #land(flight: Flight): Extract<Work, { kind: "asking" }> | null {
    const work = this.#work;
    if (flightOf(work) !== flight) return null;
    flight.firstStage?.cancel();
    this.#work = work.kind === "due" ? { ...work, earlier: null } : RESTING;
    return work.kind === "asking" ? work : null;
  }

  /** Shows the hits of the first stage until the whole answer arrives; the result has the hits that are shown. */
  #showFirstStage(asked: Omit<Asked, "tookMs">, flight: Flight, requestedAt: number): Pick<SearchResult, "hits"> {
    const shown: { hits: SearchResult["hits"] } = { hits: [] };
    void flight.firstStage?.reply.then((reply) => {
      if (this.#work.kind !== "asking" || this.#work.flight !== flight || !reply.ok || reply.value.hits.length === 0) return;
      shown.hits = reply.value.hits;
      this.#setState({ kind: "results", answer: answerFrom(reply.value, { ...asked, tookMs: this.clock.now() - requestedAt }), isRefresh: false });
    });
    return shown;
  }

  #setState(state: SearchState): void {
    this.state = state;
    if (state.kind === "searching") this.passages.cancelAll();
    else if (state.kind === "results" && state.isRefresh) this.passages.reload(new Set(state.answer.hits.filter(({ furtherPassages }) => furtherPassages > 0).map(({ path }) => path)));
    else if (state.kind !== "failed") this.passages.foldAll(); // after a failure, the rows of the previous answer stay
    this.changed.emit(state);
  }

  // --- single hits ---------------------------------------------------------------------------------

  /** Explains why a note is or is not in the results of the current query. */
  explain(path: string): Promise<Reply<ExplainResult>> {
    const query = this.#query;
    const { mode } = this.options;
    const limit = Math.min(LIMITS.maxLimit, Math.max(this.options.limit, this.#wanted));
    return this.client.request("explain", { query, path, mode, limit, typing: this.#typing.kind !== "ended", paused: this.#typing.kind !== "typing" }).reply;
  }

  /** Reports what was made of a hit of the current answer. An engine of an earlier version refuses, which changes nothing. */
  report(path: string, kind: FeedbackKind): void {
    const answer = answerOf(this.state);
    if (answer) this.client.request("feedback", { query: answer.query, path, kind });
  }

  async widePassage(path: string, start: number): Promise<Passage | null> {
    const search = this.#searchOfHits;
    return search && widePassage(this.client, search, path, start);
  }

  /** The search that the current answer is for. */
  get #searchOfHits(): SearchOfHit | null {
    const answer = answerOf(this.state);
    if (!answer) return null;
    const { query, mode, limit, snippetWidth, lastWordIsPrefix, isAtRest } = answer;
    return { query, mode, limit, snippetWidth, typing: lastWordIsPrefix, paused: isAtRest, ...GUARD, ...this.options.scope };
  }
}

/** Whether `answer` leaves out what its last word means. */
function isUnfinished(answer: Answer): boolean {
  return answer.mode === "hybrid" && !answer.isAtRest && !answer.byNames && lastWordIsUnfinished(answer);
}

function flightOf(work: Work): Flight | null {
  return work.kind === "asking" ? work.flight : work.kind === "due" ? work.earlier : null;
}

/** Whether `answer` is for other corrections than the answer before, so that the old selection means nothing. */
function hasNewCorrections(answer: Answer, before: SearchState): boolean {
  const words = ({ corrections }: Answer): string => corrections.map(({ used }) => used).join(" ");
  return before.kind === "results" && !before.answer.byNames && words(answer) !== words(before.answer);
}
