/**
 * The further passages of hits, requested one hit at a time when a user unfolds it.
 *
 * They belong to one answer. A new query forgets them; when the index has changed, those of unfolded hits are requested
 * again, and the old ones stay until the new ones arrive. A folded hit costs no request.
 */
import { Emitter } from "../emitter";
import { type HitOptions, LIMITS, type Passage, type PassagesResult } from "../protocol/messages";
import { type Pending, type Requester } from "../sidecar/client";
import { type Failure } from "../sidecar/failure";

export type FurtherPassages =
  | { readonly kind: "folded" }
  /** Requested. `previous` are those from before a change of the index; empty the first time. */
  | { readonly kind: "loading"; readonly previous: readonly Passage[] }
  | { readonly kind: "unfolded"; readonly passages: readonly Passage[] }
  | { readonly kind: "failed"; readonly failure: Failure };

/** The parameters of the search whose hit is unfolded. */
export type SearchOfHit = Omit<HitOptions, "path">;

const FOLDED: FurtherPassages = { kind: "folded" };

export class PassageLoader {
  /** Emits the path of a hit whose passages changed. */
  readonly changed = new Emitter<string>();
  /** Only hits that are not folded. */
  readonly #states = new Map<string, FurtherPassages>();
  readonly #pending = new Map<string, Pending<PassagesResult>>();

  /** `search`: the one whose hits are unfolded; null where there is none. */
  constructor(
    private readonly client: Requester,
    private readonly search: () => SearchOfHit | null,
  ) {}

  stateOf(path: string): FurtherPassages {
    return this.#states.get(path) ?? FOLDED;
  }

  /** Requests the further passages of a hit, unless they are there or on their way. */
  unfold(path: string): void {
    const { kind } = this.stateOf(path);
    if (kind === "folded" || kind === "failed") void this.#load(path, []);
  }

  fold(path: string): void {
    this.#cancel(path);
    this.#setState(path, FOLDED);
  }

  /** Requests the passages of all unfolded hits again, because the index changed; hits not in `paths` are folded. */
  reload(paths: ReadonlySet<string>): void {
    for (const [path, state] of [...this.#states]) {
      this.#cancel(path);
      if (state.kind === "failed" || !paths.has(path)) this.#setState(path, FOLDED);
      else void this.#load(path, passagesOf(state));
    }
  }

  /** Cancels all requests: a hit whose first passages were on their way is folded again. */
  cancelAll(): void {
    for (const path of [...this.#pending.keys()]) {
      this.#cancel(path);
      const passages = passagesOf(this.stateOf(path));
      this.#setState(path, passages.length > 0 ? { kind: "unfolded", passages } : FOLDED);
    }
  }

  /** Folds all hits, because they answer another query. */
  foldAll(): void {
    for (const path of [...this.#states.keys()]) this.fold(path);
  }

  async #load(path: string, previous: readonly Passage[]): Promise<void> {
    const search = this.search();
    if (!search) return;
    const pending = this.client.request("search/passages", { ...search, path });
    this.#pending.set(path, pending);
    this.#setState(path, { kind: "loading", previous });
    const reply = await pending.reply;
    if (this.#pending.get(path) !== pending) return; // cancelled
    this.#pending.delete(path);
    if (reply.ok) this.#setState(path, { kind: "unfolded", passages: reply.value.passages });
    else this.#setState(path, { kind: "failed", failure: reply.failure });
  }

  #cancel(path: string): void {
    const pending = this.#pending.get(path);
    this.#pending.delete(path);
    pending?.cancel();
  }

  #setState(path: string, state: FurtherPassages): void {
    if (state.kind !== "folded") this.#states.set(path, state);
    else if (!this.#states.delete(path)) return;
    this.changed.emit(path);
  }
}

/** The passages to show below a hit. */
export function passagesOf(state: FurtherPassages): readonly Passage[] {
  if (state.kind === "loading") return state.previous;
  return state.kind === "unfolded" ? state.passages : [];
}

/** The passage of the note at `path` that starts at `start`; null where the note has none there any more. */
export async function widePassage(client: Requester, { query, mode = "hybrid", typing = false, paused = false }: SearchOfHit, path: string, start: number): Promise<Passage | null> {
  const reply = await client.request("search", {
    query,
    mode,
    typing,
    paused,
    limit: 1,
    filters: { notes: [path] },
    expand: true,
    snippetWidth: LIMITS.maxSnippetWidth,
    maxTokens: LIMITS.maxTokens,
  }).reply;
  const passages = reply.ok ? (reply.value.hits[0]?.passages ?? []) : [];
  return passages.find((passage) => passage.start === start) ?? null;
}
