/**
 * The state of the pane, derived from engine, index and search. Pure; the sentences are in `i18n/`.
 *
 * It has three parts: the body (`PaneState`), a line above it while a retriever is unavailable (`Degradation`), and the
 * footer, which the status bar repeats (`Freshness`).
 */
import { type IndexStatus, type Message, type MissingRetriever } from "../protocol/messages";
import { type Answer, type SearchState, answerOf } from "../search/answer";
import { type Failure } from "../sidecar/failure";
import { type EngineState, type Supervisor } from "../sidecar/supervisor";

/** The engine as the user interface observes it. */
export type ObservableEngine = Pick<Supervisor, "state" | "status" | "changed" | "statusChanged">;

type EngineProblem = Extract<EngineState, { kind: "missing" | "unapproved" | "outdated" | "occupied" | "failed" | "disconnected" }>;

export type PaneState =
  | EngineProblem
  | { readonly kind: "starting" }
  /** No query. */
  | { readonly kind: "empty"; readonly hasHistory: boolean }
  | { readonly kind: "searching" }
  /** No note has the word that is being typed; the rows before it stay. */
  | { readonly kind: "unmatched"; readonly answer: Answer }
  | { readonly kind: "results"; readonly answer: Answer }
  | { readonly kind: "no-results"; readonly answer: Answer; readonly isIndexing: boolean }
  | Extract<Failure, { kind: "bad-query" }>
  | { readonly kind: "search-failed"; readonly failure: Failure };

export type Freshness =
  | { readonly kind: "off" }
  | { readonly kind: "starting" }
  | { readonly kind: "trouble"; readonly engine: EngineProblem["kind"] }
  | { readonly kind: "indexing"; readonly done: number; readonly total: number; readonly remainingMs: number | null }
  /** Nothing is indexed yet. */
  | { readonly kind: "listing" }
  | { readonly kind: "preparing" }
  /** The index is current; search by meaning follows in seconds. */
  | { readonly kind: "loading-model"; readonly notes: number }
  | { readonly kind: "updating"; readonly notes: number; readonly pending: number }
  | { readonly kind: "paused"; readonly notes: number; readonly pending: number }
  | { readonly kind: "index-failed"; readonly message: Message | null }
  | { readonly kind: "backfill"; readonly notes: number; readonly done: number; readonly total: number; readonly remainingMs: number | null; readonly sentTo: string | null }
  | { readonly kind: "live"; readonly notes: number; readonly problems: number; readonly sentTo: string | null };

/** Without the engine, rows found by the names of notes are shown instead of its state. */
export function paneState(engine: EngineState, status: IndexStatus | null, search: SearchState, hasHistory: boolean): PaneState {
  const answer = answerOf(search);
  const isByNames = answer?.byNames != null && answer.hits.length > 0;
  if (engine.kind !== "live" && isByNames) return search.kind === "results" ? { kind: "results", answer } : { kind: "searching" };
  return engineState(engine, status, search, hasHistory);
}

/** What there is to say about the engine, whether or not there are rows; null while it can be asked. */
export function helpState(engine: EngineState): PaneState | null {
  return engine.kind === "live" ? null : engineState(engine, null, { kind: "idle" }, false);
}

function engineState(engine: EngineState, status: IndexStatus | null, search: SearchState, hasHistory: boolean): PaneState {
  if (engine.kind === "live") return liveState(status, search, hasHistory);
  if (engine.kind !== "stopped" && engine.kind !== "starting") return engine;
  return search.kind === "idle" && hasHistory ? { kind: "empty", hasHistory } : { kind: "starting" };
}

function liveState(status: IndexStatus | null, search: SearchState, hasHistory: boolean): PaneState {
  switch (search.kind) {
    case "idle":
      return { kind: "empty", hasHistory };
    case "searching":
      return search.unmatched ? { kind: "unmatched", answer: search.unmatched } : { kind: "searching" };
    case "failed":
      return failedState(search.failure);
    case "results":
      if (search.answer.hits.length > 0) return { kind: "results", answer: search.answer };
      return { kind: "no-results", answer: search.answer, isIndexing: status?.progress != null };
  }
}

function failedState(failure: Failure): PaneState {
  switch (failure.kind) {
    case "bad-query":
      return failure;
    case "not-connected":
    case "disconnected":
    case "cancelled":
      return { kind: "searching" }; // the query is repeated as soon as the connection is back
    case "timed-out":
    case "refused":
      return { kind: "search-failed", failure };
  }
}

/**
 * The missing retriever, from the answer shown, else from the status of the index. A model that is still being loaded is
 * no trouble: the footer says so.
 */
export function degradation(status: IndexStatus | null, search: SearchState): MissingRetriever | null {
  if (status?.model.state === "loading") return null;
  const missing = search.kind === "results" ? search.answer.missing : (status?.missing ?? []);
  return missing[0] ?? null;
}

export function freshness(engine: EngineState, status: IndexStatus | null): Freshness {
  if (engine.kind === "live") return status ? freshnessOf(status) : { kind: "starting" };
  if (engine.kind === "starting") return { kind: "starting" };
  return engine.kind === "stopped" ? { kind: "off" } : { kind: "trouble", engine: engine.kind };
}

function freshnessOf({ state, notes, pending, progress, backfill, message, problemCount, model, indexedMs }: IndexStatus): Freshness {
  const preparing = { kind: indexedMs === null ? "listing" : "preparing" } as const;
  switch (state) {
    case "starting":
    case "scanning":
      return preparing;
    case "indexing":
    case "rebuilding":
    case "embedding":
      if (!progress) return preparing;
      return { kind: "indexing", done: progress.doneNotes, total: progress.totalNotes, remainingMs: progress.remainingMs };
    case "paused":
      return { kind: "paused", notes, pending };
    case "failed":
      return { kind: "index-failed", message };
    case "live":
      if (pending > 0) return { kind: "updating", notes, pending };
      if (model.state === "loading") return { kind: "loading-model", notes };
      if (backfill?.state === "running" && backfill.doneChunks < backfill.totalChunks) {
        return { kind: "backfill", notes, done: backfill.doneChunks, total: backfill.totalChunks, remainingMs: backfill.remainingMs, sentTo: backfill.sentTo };
      }
      return { kind: "live", notes, problems: problemCount, sentTo: backfill?.sentTo ?? null };
  }
}

/** Whether there is no engine, and none to be expected until the user acts. */
export function isWithoutEngine(kind: EngineState["kind"]): boolean {
  return kind === "missing" || kind === "unapproved" || kind === "outdated" || kind === "occupied" || kind === "failed";
}

/** The share of notes, 0 to 1, that are in the first index while it is made; null once it was. */
export function firstIndexShare(engine: EngineState["kind"], status: IndexStatus | null): number | null {
  if (engine !== "live" || status?.indexedMs !== null || !status.progress) return null;
  return status.progress.doneNotes / Math.max(1, status.progress.totalNotes);
}

/** Whether there is neither trouble nor work, so that the status bar has nothing to say. */
export function isQuiet({ kind }: Freshness): boolean {
  return kind === "live" || kind === "backfill";
}
