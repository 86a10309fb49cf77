/**
 * One search box without a screen: keystrokes in, search states out.
 *
 * The newest query wins: an older one is cancelled, and if its answer comes all the same it is not shown. While a new
 * answer is awaited the old one stays at hand, so that a screen can keep its rows.
 */
import { type Cancel, type Clock } from "../clock";
import { type Hit, type MissingLeg, type Mode, type SearchResult } from "../protocol/messages";
import { Signal } from "../signal";
import { type Asks, type Pending } from "../sidecar/client";
import { type Failure } from "../sidecar/failure";

const PACE_MS = 60; // one fast keystroke: the first is asked at once, those that follow at this pace
const REFRESH_MS = 250; // while notes are being indexed; four times a second is live to the eye
// Snippets are all that comes with `scan`: at 120 characters, 100 notes stay far below this. The budget is for agents.
const MAX_TOKENS = 100_000;

export interface Answer {
  readonly query: string;
  readonly mode: Mode;
  readonly hits: readonly Hit[];
  readonly total: number;
  readonly missing: readonly MissingLeg[];
  /** From asking to having, as the user waits. */
  readonly tookMs: number;
}

export type SearchState =
  | { readonly kind: "idle" }
  | { readonly kind: "searching"; readonly query: string; readonly previous: Answer | null }
  | {
      readonly kind: "results";
      readonly answer: Answer;
      /** The same question asked again because the index changed. */
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
  private pending: Pending<SearchResult> | null = null;
  private lastAskedAt = -Infinity;
  private cancelTimer: Cancel = () => undefined;
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

  setQuery(text: string): void {
    const query = text.trim();
    if (query === this.query) return;
    this.query = query;
    this.cancelTimer();
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

  /** Ends whatever is under way; the session can be used again. */
  close(): void {
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
    const { query } = this;
    const { mode, limit } = this.options;
    const earlier = this.pending;
    const askedAt = this.clock.now();
    this.lastAskedAt = askedAt;
    this.refreshIsDue = false;
    const pending = this.client.request("search", {
      query,
      mode,
      limit,
      maxTokens: MAX_TOKENS,
      ...(earlier && { supersedes: earlier.id }),
    });
    this.pending = pending;
    earlier?.abandon();

    const reply = await pending.reply;
    if (this.pending !== pending) return; // a newer query took its place
    this.pending = null;
    if (query !== this.query) return; // a newer one is about to be asked
    if (reply.ok) {
      const { hits, total, missing } = reply.value;
      const tookMs = this.clock.now() - askedAt;
      this.become({ kind: "results", answer: { query, mode, hits, total, missing, tookMs }, isRefresh });
    } else if (reply.failure.kind !== "cancelled") {
      this.become({ kind: "failed", query, failure: reply.failure, previous: answerOf(this.current) });
    }
    this.refreshIfDue();
  }

  private refreshIfDue(): void {
    if (this.refreshIsDue) this.refresh();
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
