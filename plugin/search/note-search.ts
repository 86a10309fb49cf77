/**
 * A search inside one note: its passages in the order of the text, and the one that is looked at. No screen, no Obsidian.
 *
 * The engine finds every passage with a word of the query, and those that are nearest in meaning.
 */
import { type Cancel, type Clock } from "../clock";
import { Emitter } from "../emitter";
import { LIMITS, type Mode, type Passage, type SearchResult } from "../protocol/messages";
import { type Pending, type Requester } from "../sidecar/client";
import { type Failure } from "../sidecar/failure";

const THROTTLE_MS = 60; // a fast keystroke
const REFRESH_MS = 250;

export interface NoteSearchState {
  readonly query: string;
  /** In the order of the text. */
  readonly passages: readonly Passage[];
  /** Index of the passage that is looked at; null where there is none. */
  readonly current: number | null;
  readonly failure: Failure | null;
  readonly isAsking: boolean;
  /** Rises when the user asks for a passage, and not when the note changes under it. */
  readonly visit: number;
}

const NOTHING: NoteSearchState = { query: "", passages: [], current: null, failure: null, isAsking: false, visit: 0 };

export class NoteSearch {
  readonly changed = new Emitter<NoteSearchState>();
  state = NOTHING;
  #pending: Pending<SearchResult> | null = null;
  #cancelTimer: Cancel = () => undefined;

  /** `path`: of the note, which can be renamed. */
  constructor(
    private readonly client: Requester,
    private readonly clock: Clock,
    private readonly path: () => string,
    private readonly mode: () => Mode,
  ) {}

  setQuery(text: string): void {
    const query = text.trim().slice(0, LIMITS.maxQueryChars);
    if (query === this.state.query) return;
    this.close();
    if (query === "") this.#set({ ...NOTHING, visit: this.state.visit });
    else {
      this.#set({ ...this.state, query, isAsking: true });
      this.#cancelTimer = this.clock.after(THROTTLE_MS, () => void this.#ask(false));
    }
  }

  /** Asks again because the note changed; the passage that is looked at stays. */
  refresh(): void {
    if (this.state.query === "") return;
    this.#cancelTimer();
    this.#cancelTimer = this.clock.after(REFRESH_MS, () => void this.#ask(true));
  }

  /** Goes on by `step` passages, from the last to the first. */
  move(step: number): void {
    const { passages, current } = this.state;
    if (passages.length === 0) return;
    this.#set({ ...this.state, current: ((current ?? (step > 0 ? -1 : 0)) + step + passages.length) % passages.length, visit: this.state.visit + 1 });
  }

  close(): void {
    this.#cancelTimer();
    this.#pending?.cancel();
    this.#pending = null;
  }

  async #ask(isRefresh: boolean): Promise<void> {
    this.#pending?.cancel();
    const { query } = this.state;
    const note = this.path();
    const filters = { notes: [note] };
    const pending = this.client.request("search", { query, mode: this.mode(), limit: 1, typing: true, paused: true, expand: true, maxTokens: LIMITS.maxTokens, filters });
    this.#pending = pending;
    const reply = await pending.reply;
    if (this.#pending !== pending) return; // superseded
    this.#pending = null;
    if (!reply.ok) {
      this.#set({ ...NOTHING, query, failure: reply.failure, visit: this.state.visit });
      return;
    }
    const found = reply.value.hits.find(({ path }) => path.normalize("NFC") === note.normalize("NFC"))?.passages ?? [];
    const passages = [...found].sort((a, b) => a.matchStart - b.matchStart);
    const before = this.state.current === null ? null : this.state.passages[this.state.current];
    const kept = isRefresh && before ? passages.findIndex(({ matchStart }) => matchStart >= before.matchStart) : 0;
    this.#set({ query, passages, current: passages.length === 0 ? null : Math.max(0, kept), failure: null, isAsking: false, visit: this.state.visit + (isRefresh ? 0 : 1) });
  }

  #set(state: NoteSearchState): void {
    this.state = state;
    this.changed.emit(state);
  }
}
