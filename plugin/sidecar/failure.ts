/**
 * Failures between the plugin and the sidecar, as closed unions. Their messages are in `i18n/`.
 *
 * A `Failure` concerns one request, a `StartFailure` the start of an engine.
 */
import { ErrorCode, type WireError } from "../protocol/codec";
import { type Message } from "../protocol/messages";

export type Failure =
  /** Not sent, because there is no connection. */
  | { readonly kind: "not-connected" }
  /** Sent, but the connection closed before the answer. */
  | { readonly kind: "disconnected" }
  | { readonly kind: "timed-out"; readonly afterMs: number }
  /** Cancelled by the caller, or superseded by its next search. */
  | { readonly kind: "cancelled" }
  | { readonly kind: "bad-query"; readonly message: string; readonly next: string; readonly position: number | null; readonly sentence?: Message }
  /** Any other error of the engine, with the engine's own message. */
  | { readonly kind: "refused"; readonly reason: string; readonly message: string; readonly next: string };

export type StartFailure =
  /** The system could not run the file: no permission, wrong architecture. */
  | { readonly kind: "not-runnable"; readonly program: string; readonly message: string }
  | { readonly kind: "silent"; readonly afterMs: number }
  /** The first line on stdout was not an announcement. */
  | { readonly kind: "garbled"; readonly line: string }
  | { readonly kind: "exited"; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: "vault-missing" }
  /** A newer version wrote the index; this one does not touch it. */
  | { readonly kind: "index-too-new" }
  /** The process runs, but its socket could not be opened. */
  | { readonly kind: "unreachable" };

/** The outcome of a request. Expected failures are values, so no caller has to catch them. */
export type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

export function failureOf(error: WireError): Failure {
  const { message, next, position, reason, sentence } = error;
  switch (error.code) {
    case ErrorCode.cancelled:
      return { kind: "cancelled" };
    case ErrorCode.badQuery:
      return { kind: "bad-query", message, next, position, ...(sentence && { sentence }) };
    default:
      return { kind: "refused", reason, message, next };
  }
}

/** The failure behind an exit code of `quarry serve`; 0 and 3 are not failures. */
export function startFailureOf(code: number | null, signal: string | null): StartFailure {
  if (code === 4) return { kind: "vault-missing" };
  if (code === 5) return { kind: "index-too-new" };
  return { kind: "exited", code, signal };
}

/** Whether another start can succeed without the user doing something first. */
export function isWorthRetrying(failure: StartFailure): boolean {
  switch (failure.kind) {
    case "not-runnable":
    case "vault-missing":
    case "index-too-new":
      return false;
    case "exited":
      return failure.code !== 2; // a usage error would repeat
    case "silent":
    case "garbled":
    case "unreachable":
      return true;
  }
}
