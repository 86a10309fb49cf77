/**
 * Answers searches from the names of notes while the engine cannot: behind the same interface, so that whatever asks the
 * engine goes on with neither a second session nor other rows.
 *
 * An engine that starts is waited for, because it usually answers within a second and reading the names would be in vain.
 * While a vault is indexed for the first time, what names find comes before what the index already has: it may have a tenth.
 */
import { type Clock } from "../clock";
import { Emitter } from "../emitter";
import { isWithoutEngine } from "../pane/state";
import { BLANK_RESULT } from "../protocol/blank";
import { type SearchOptions, type SearchResult } from "../protocol/messages";
import { type Method, type Params, type Pending, type Requester, type Result } from "../sidecar/client";
import { type Reply } from "../sidecar/failure";
import { type Supervisor } from "../sidecar/supervisor";
import { type NameAnswer, type NoteNames } from "../vault/note-names";
import { type NamesResult } from "./answer";
import { joined } from "./pages";

const START_WAIT_MS = 1_500; // most engines are there by then

/** The engine, as far as it decides who answers. */
export type EngineInUse = Pick<Supervisor, "state" | "status" | "changed" | "statusChanged" | "indexUpdated">;

const WITHOUT_VERDICT = { weakness: null, corrections: [], unknownWords: [] } as const;
const OWN_ID = -1; // no request of the engine has it

export class NamesFallback implements Requester {
  /** Emits when answers may differ: the index changed, or the names that stand in for it. */
  readonly updated = new Emitter<void>();
  #waitedOut = false; // for the present start

  constructor(
    private readonly client: Requester,
    private readonly engine: EngineInUse,
    private readonly names: Pick<NoteNames, "search" | "changed">,
    private readonly clock: Clock,
  ) {
    engine.changed.listen(({ kind }) => {
      if (kind !== "starting") this.#waitedOut = false;
      if (isWithoutEngine(kind)) this.updated.emit(); // rows of an engine that is gone make way for those by names
    });
    engine.indexUpdated.listen(() => { this.updated.emit(); });
    let wasFirstIndex = false;
    engine.statusChanged.listen(() => {
      const isFirstIndex = engine.status?.indexedMs === null;
      if (wasFirstIndex && !isFirstIndex) this.updated.emit(); // names need to help no longer
      wasFirstIndex = isFirstIndex;
    });
    names.changed.listen(() => { if (engine.state.kind !== "live") this.updated.emit(); });
  }

  request<M extends Method>(method: M, params: Params<M>, timeoutMs?: number): Pending<Result<M>> {
    if (method !== "search") return this.client.request(method, params, timeoutMs);
    return this.#search(params as SearchOptions) as Pending<unknown> as Pending<Result<M>>;
  }

  #search({ supersedes, ...params }: SearchOptions): Pending<SearchResult> {
    if (this.engine.state.kind !== "live") return this.#searchNames(params);
    const own = supersedes === undefined || supersedes === OWN_ID;
    const pending = this.client.request("search", own ? params : { ...params, supersedes });
    if (this.engine.status?.indexedMs !== null) return pending;
    return { ...pending, reply: this.#completed(pending.reply, params) };
  }

  /** The engine's reply behind what names find, without a word on how good it is. A query with filters is the engine's alone. */
  async #completed(reply: Promise<Reply<SearchResult>>, params: SearchOptions): Promise<Reply<SearchResult>> {
    const [given, names] = await Promise.all([reply, this.#page({ ...params, offset: 0 }, () => false)]);
    if (!given.ok) return given;
    const { hits, total, reachable } = given.value;
    if (hits.length === 0) return names === null || names.total === 0 ? given : { ok: true, value: resultOf(names, given.value) };
    const isNamed = !params.offset && names !== null && names.ignored.length === 0;
    const first = isNamed ? names.hits.map((hit) => hits.find(({ path }) => path === hit.path) ?? hit) : [];
    return { ok: true, value: { ...given.value, ...WITHOUT_VERDICT, hits: joined(first, hits), total: Math.max(total, first.length), reachable: Math.max(reachable, first.length) } };
  }

  #searchNames(params: SearchOptions): Pending<SearchResult> {
    let cancel = (): void => undefined;
    let isCancelled = false;
    const cancelled = new Promise<Reply<SearchResult>>((resolve) => {
      cancel = () => {
        isCancelled = true;
        resolve({ ok: false, failure: { kind: "cancelled" } });
      };
    });
    const answered = async (): Promise<Reply<SearchResult>> => {
      await this.#awaitStart();
      if (isCancelled) return cancelled;
      if (this.engine.state.kind === "live") return this.client.request("search", params).reply;
      const answer = await this.#page(params, () => isCancelled);
      return answer === null ? cancelled : { ok: true, value: resultOf(answer, BLANK_RESULT) };
    };
    return { id: OWN_ID, reply: Promise.race([cancelled, answered()]), cancel, abandon: cancel };
  }

  async #page({ query, limit = 0, offset = 0 }: SearchOptions, isCancelled: () => boolean): Promise<NameAnswer | null> {
    const answer = await this.names.search(query, offset + limit, isCancelled);
    return answer && { ...answer, hits: answer.hits.slice(offset) };
  }

  /** Waits while the engine starts, but once per start, and not for long. */
  async #awaitStart(): Promise<void> {
    const { kind } = this.engine.state;
    if (this.#waitedOut || (kind !== "starting" && kind !== "stopped")) return;
    await new Promise<void>((resolve) => {
      const stop = this.engine.changed.listen((state) => {
        if (state.kind === "starting") return;
        finish();
      });
      const cancel = this.clock.after(START_WAIT_MS, () => {
        this.#waitedOut = true;
        finish();
      });
      const finish = (): void => {
        stop();
        cancel();
        resolve();
      };
    });
  }
}

function resultOf({ hits, total, ignored }: NameAnswer, like: SearchResult): NamesResult {
  return { ...like, ...WITHOUT_VERDICT, hits, total, reachable: total, ignored, relaxed: null };
}
