/**
 * What other plugins can ask of Quarry. Its types are `quarry-api.d.ts`, which they copy.
 *
 * Answers are copied field by field, so that neither the wire nor the connection shows through.
 */
import { type Hit, LIMITS, MODES, type Passage, type RelatedNote, type SearchResult } from "../protocol/messages";
import { type WriteLog } from "../diagnostic-log";
import { type Emitter } from "../emitter";
import { type Pending, type Requester } from "../sidecar/client";
import { type Failure } from "../sidecar/failure";
import { type Supervisor } from "../sidecar/supervisor";
import { failureWords } from "../i18n/engine";
import { joinSentences } from "../i18n/formatting";
import { say, t } from "../i18n/translate";
import type { QuarryAnswer, QuarryApi, QuarryError, QuarryHit, QuarryPassage, QuarryRelatedNote, QuarryRelatedOptions, QuarryReply, QuarrySearchOptions } from "./quarry-api";

const MAX_AT_ONCE = 8; // of all plugins together: the pane asks the same engine, and must not wait behind a loop

export interface ApiParts {
  readonly client: Requester;
  readonly engine: Pick<Supervisor, "state" | "changed" | "indexUpdated">;
  readonly openSearch: (query: string) => void;
  /** Takes the error of another plugin's callback, which must not stop ours. */
  readonly log: WriteLog;
}

export interface ApiHandle {
  readonly api: QuarryApi;
  /** Settles what is waiting, forgets every listener, and refuses what comes later. */
  close(): void;
}

export function createApi(parts: ApiParts): ApiHandle {
  const ends = new Set<() => void>();
  const requests = new Set<Pending<unknown>>();
  let isClosed = false;
  const isReady = (): boolean => parts.engine.state.kind === "live";

  const guarded = (callback: () => void): void => {
    try {
      callback();
    } catch (error) {
      parts.log(`A callback of another plugin failed: ${String(error)}`);
    }
  };

  const listen = (event: Pick<Emitter<unknown>, "listen">, callback: () => void): (() => void) => {
    if (isClosed) return () => undefined;
    const stop = event.listen(() => { guarded(callback); });
    const end = (): void => {
      stop();
      ends.delete(end);
    };
    ends.add(end);
    return end;
  };

  const ask = async <W, T>(wrong: string | null, signal: AbortSignal | undefined, request: () => Pending<W>, translate: (value: W) => T): Promise<QuarryReply<T>> => {
    if (isClosed) return refused("unloaded", t("api.unloaded"));
    if (wrong !== null) return refused("bad-argument", wrong);
    if (signal?.aborted) return refused("cancelled", failureWords({ kind: "cancelled" }));
    if (!isReady()) return refused("not-ready", t("api.not-ready"));
    if (requests.size >= MAX_AT_ONCE) return refused("busy", t("api.busy"));
    const pending = request();
    const cancel = (): void => { pending.cancel(); };
    requests.add(pending);
    signal?.addEventListener("abort", cancel, { once: true });
    const reply = await pending.reply;
    signal?.removeEventListener("abort", cancel);
    requests.delete(pending);
    if (reply.ok) return { ok: true, value: translate(reply.value) };
    return closedMeanwhile() ? refused("unloaded", t("api.unloaded")) : { ok: false, error: errorOf(reply.failure) };
  };
  const closedMeanwhile = (): boolean => isClosed; // a plain read would be taken for the value before the wait

  const api: QuarryApi = Object.freeze({
    version: 1,
    isReady: () => !isClosed && isReady(),
    onReady: (callback) => {
      if (isClosed) return () => undefined;
      if (isReady()) {
        guarded(callback);
        return () => undefined;
      }
      const end = listen(parts.engine.changed, () => {
        if (!isReady()) return;
        end();
        callback();
      });
      return end;
    },
    onIndexUpdated: (callback) => listen(parts.engine.indexUpdated, callback),
    search: (query, options) => {
      const { mode = "hybrid", limit = 10, snippetLength = 240, signal }: QuarrySearchOptions = given(options);
      return ask(
        wrongText("query", query) ?? oneOf("mode", mode, MODES) ?? wrongNumber("limit", limit, 1, LIMITS.maxLimit) ?? wrongNumber("snippetLength", snippetLength, LIMITS.minSnippetWidth, LIMITS.maxSnippetWidth) ?? wrongSignal(signal),
        signal,
        () => parts.client.request("search", { query, mode, limit, snippetWidth: snippetLength, maxTokens: LIMITS.maxTokens }),
        answerOf,
      );
    },
    related: (path, options) => {
      const { limit = 10, signal }: QuarryRelatedOptions = given(options);
      return ask(
        wrongText("path", path) ?? wrongNumber("limit", limit, 1, LIMITS.maxLimit) ?? wrongSignal(signal),
        signal,
        () => parts.client.request("related", { path: path.normalize("NFC"), limit }),
        ({ notes }) => notes.map(relatedOf),
      );
    },
    openSearch: (query) => {
      if (!isClosed && wrongText("query", query) === null) parts.openSearch(query);
    },
  } satisfies QuarryApi);

  return {
    api,
    close: () => {
      isClosed = true;
      for (const end of [...ends]) end();
      for (const pending of [...requests]) pending.cancel();
    },
  };
}

function refused(kind: QuarryError["kind"], message: string): { readonly ok: false; readonly error: QuarryError } {
  return { ok: false, error: { kind, message, position: null } };
}

function errorOf(failure: Failure): QuarryError {
  const position = failure.kind === "bad-query" ? failure.position : null;
  return { kind: kindOf(failure), message: failureWords(failure), position };
}

function kindOf({ kind }: Failure): QuarryError["kind"] {
  if (kind === "not-connected" || kind === "disconnected") return "not-ready";
  return kind === "refused" ? "failed" : kind;
}

// Callers are other people's JavaScript: what the types promise is checked.

function wrongText(name: string, value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" && value.length <= LIMITS.maxQueryChars ? null : t("api.wrong-text", { name, most: LIMITS.maxQueryChars });
}

function wrongNumber(name: string, value: unknown, least: number, most: number): string | null {
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= most ? null : t("api.wrong-number", { name, least, most });
}

function wrongSignal(value: unknown): string | null {
  const isSignal = value === undefined || (typeof value === "object" && value !== null && "aborted" in value && "addEventListener" in value);
  return isSignal ? null : t("api.wrong-signal");
}

function given<T extends object>(options: T | null | undefined): T | Record<string, never> {
  return typeof options === "object" && options !== null ? options : {};
}

function oneOf(name: string, value: unknown, known: readonly string[]): string | null {
  return known.some((one) => one === value) ? null : t("api.wrong-choice", { name, known: known.join(", ") });
}

function answerOf({ hits, total, weakness, corrections, relaxed, index }: SearchResult): QuarryAnswer {
  return {
    hits: hits.map(hitOf),
    total,
    isWeak: weakness !== null,
    corrections: corrections.map(({ typed, used }) => ({ typed, used })),
    relaxed: relaxed && joinSentences(...relaxed.messages.map(say)),
    isComplete: index.state === "live",
  };
}

function hitOf({ path, title, confidence, matchedBy, missingWords, modifiedMs, tags, passages }: Hit): QuarryHit {
  const [best] = passages;
  return { path, title, confidence, foundBy: matchedBy, missingWords: [...missingWords], modifiedMs, tags: [...tags], passage: best ? passageOf(best) : null };
}

function relatedOf(note: RelatedNote): QuarryRelatedNote {
  return { path: note.path, title: note.title, isLinked: note.linked, passage: passageOf(note) };
}

function passageOf({ headingPath, snippet, marks, line, matchStart, matchEnd }: Omit<Passage, "tokens" | "text" | "truncated" | "breakdown">): QuarryPassage {
  const words = marks.filter(({ kind }) => kind === "word").map(({ start, end }) => ({ start, end }));
  return { headings: [...headingPath], snippet, marks: words, line, start: matchStart, end: matchEnd };
}
