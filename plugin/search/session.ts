/**
 * One search box without a screen: keystrokes in, search states out.
 *
 * The newest query wins: an older one is cancelled, and if its answer comes all the same it is not shown. While a new
 * answer is awaited the old one stays at hand, so that a screen can keep its rows.
 *
 * The last word of what is typed may be the beginning of one, and stays so: a person who stops at `bell` has bellows on
 * the screen and wants to keep them. Only where it turns out to begin nothing, it is asked once more as a whole word when
 * the typing rests, since the engine corrects whole words alone.
 */
import { type Cancel, type Clock } from "../clock";
import { type ExplainResult, type Mode, type SearchResult } from "../protocol/messages";
import { Signal } from "../signal";
import { type Asks, type Pending } from "../sidecar/client";
import { type Failure, type Reply } from "../sidecar/failure";
import { lastWordIsUnknown } from "./unknown-word";

const PACE_MS = 60; // one fast keystroke: the first is asked at once, those that follow at this pace
const REST_MS = 600; // longer than a slow typist's pause within a word, shorter than it takes to read the first row
const REFRESH_MS = 250; // while notes are being indexed; four times a second is live to the eye
// Snippets are all that comes with `scan`: at 120 characters, 100 notes stay far below this. The budget is for agents.
const MAX_TOKENS = 100_000;

export interface Answer extends Pick<SearchResult, "hits" | "total" | "missing" | "understood" | "corrections" | "relaxed"> {
  readonly query: string;
  readonly mode: Mode;
  /** The last word was taken for the beginning of one. */
  readonly isOfTyping: boolean;
  /** From asking to having, as the user waits. */
  readonly tookMs: number;
}

export type SearchState =
  | { readonly kind: "idle" }
  | { readonly kind: "searching"; readonly query: string; readonly previous: Answer | null }
  | {
      readonly kind: "results";
      readonly answer: Answer;
      /** The same question asked again, because the index changed or the typing rests: the selection stays on its note. */
      readonly isRefresh: boolean;
    }
  | { readonly kind: "failed"; readonly query: string; readonly failure: Failure; readonly previous: Answer | null };

export interface SearchOptions {
  readonly mode: Mode;
  readonly limit: number;
}

export class SearchSession {
  readonly changed = new Signal<SearchState>();
  private current: SearchState = { kind: "idle" };
  private query = "";
  private isTyping = false;
  private isResting = false;
  private isHeld = false;
  private pending: Pending<SearchResult> | null = null;
  private lastAskedAt = -Infinity;
  private cancelTimer: Cancel = () => undefined;
  private cancelRest: Cancel = () => undefined;
  private refreshIsDue = false;

  constructor(
    private readonly client: Asks,
    private readonly clock: Clock,
    private options: SearchOptions,
  ) {}

  get state(): SearchState {
    return this.current;
  }

  get mode(): Mode {
    return this.options.mode;
  }

  /** `isWhole` where it is no typed text but words taken from elsewhere: its last word is not the beginning of one. */
  setQuery(text: string, isWhole = false): void {
    const query = text.trim();
    if (query === this.query) return;
    this.query = query;
    this.isTyping = !isWhole;
    this.isResting = false;
    this.isHeld = false;
    this.cancelTimer();
    this.cancelRest();
    if (!isWhole) this.cancelRest = this.clock.after(REST_MS, () => { this.rest(); });
    if (query === "") this.clear();
    else this.schedule(PACE_MS, false);
  }

  setOptions(options: SearchOptions): void {
    if (options.mode === this.options.mode && options.limit === this.options.limit) return;
    this.options = options;
    if (this.query !== "") this.schedule(0, false);
  }

  /** Asks again, because the index changed or came back. Quietly: nothing is shown as pending. */
  refresh(): void {
    if (this.query === "" || (this.current.kind === "searching" && !this.pending)) return; // about to ask anyway
    // An answer under way is as good as a new one unless it left before the change: ask once more after it.
    if (this.pending) this.refreshIsDue = true;
    else this.schedule(REFRESH_MS, true);
  }

  /** Nothing more is coming: if the last word begins nothing, it may be a slip of the finger. */
  rest(): void {
    this.cancelRest();
    this.isResting = true;
    this.correctIfDue();
  }

  /** Someone chooses among the rows: they are not exchanged under the finger that presses Enter. */
  hold(): void {
    this.isHeld = true;
  }

  /** Why a note is in the answer to the open query, or why it is not. */
  explain(path: string): Promise<Reply<ExplainResult>> {
    const { query, isTyping: typing } = this;
    const { mode, limit } = this.options;
    return this.client.request("explain", { query, path, mode, limit, typing }).reply;
  }

  /** Ends whatever is under way; the session can be used again. */
  close(): void {
    this.cancelRest();
    this.cancelTimer();
    this.pending?.cancel();
    this.pending = null;
  }

  private clear(): void {
    this.close();
    this.become({ kind: "idle" });
  }

  private schedule(paceMs: number, isRefresh: boolean): void {
    this.cancelTimer();
    const waitMs = Math.max(0, this.lastAskedAt + paceMs - this.clock.now());
    if (waitMs === 0) void this.ask(isRefresh);
    else this.cancelTimer = this.clock.after(waitMs, () => void this.ask(isRefresh));
    if (!isRefresh) this.become({ kind: "searching", query: this.query, previous: answerOf(this.current) });
  }

  private async ask(isRefresh: boolean): Promise<void> {
    const { query, isTyping } = this;
    const { mode, limit } = this.options;
    const earlier = this.pending;
    const askedAt = this.clock.now();
    this.lastAskedAt = askedAt;
    this.refreshIsDue = false;
    const pending = this.client.request("search", {
      query,
      mode,
      limit,
      typing: isTyping,
      maxTokens: MAX_TOKENS,
      expand: true,
      ...(earlier && { supersedes: earlier.id }),
    });
    this.pending = pending;
    earlier?.abandon();

    const reply = await pending.reply;
    if (this.pending !== pending) return; // a newer query took its place
    this.pending = null;
    if (query !== this.query) return; // a newer one is about to be asked
    if (reply.ok) {
      const { hits, total, missing, understood, corrections, relaxed } = reply.value;
      const tookMs = this.clock.now() - askedAt;
      const answer = { query, mode, isOfTyping: isTyping, hits, total, missing, understood, corrections, relaxed, tookMs };
      this.become({ kind: "results", answer, isRefresh: isRefresh && !isCorrectedNow(answer, this.current) });
    } else if (reply.failure.kind !== "cancelled") {
      this.become({ kind: "failed", query, failure: reply.failure, previous: answerOf(this.current) });
    }
    this.askAgainIfDue();
  }

  private askAgainIfDue(): void {
    if (this.refreshIsDue) this.refresh();
    else this.correctIfDue();
  }

  private correctIfDue(): void {
    const { current } = this;
    if (!this.isResting || this.isHeld || this.pending || current.kind !== "results") return;
    if (!current.answer.isOfTyping || !lastWordIsUnknown(current.answer)) return;
    this.isTyping = false;
    this.schedule(0, true);
  }

  private become(state: SearchState): void {
    this.current = state;
    this.changed.emit(state);
  }
}

/** The answer that is still worth showing. */
export function answerOf(state: SearchState): Answer | null {
  switch (state.kind) {
    case "idle":
      return null;
    case "results":
      return state.answer;
    case "searching":
    case "failed":
      return state.previous;
  }
}

/** Whether the rows answer other words than those before: what was selected among those means nothing now. */
function isCorrectedNow(answer: Answer, before: SearchState): boolean {
  const words = ({ corrections }: Answer): string => corrections.map(({ used }) => used).join(" ");
  return before.kind === "results" && words(answer) !== words(before.answer);
}
