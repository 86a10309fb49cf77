/**
 * What can go wrong between the plugin and the sidecar, as closed unions. The words for people are in `ui/wording.ts`.
 *
 * `Failure` is about one request, `StartFailure` about getting an engine to run at all.
 */
import { ErrorCode, type WireError } from "../protocol/codec";

export type Failure =
  /** Nothing was sent: there is no connection. */
  | { readonly kind: "not-connected" }
  /** Sent, and the connection ended before an answer came. */
  | { readonly kind: "disconnected" }
  | { readonly kind: "timed-out"; readonly afterMs: number }
  /** The caller, or a newer search of the caller, wanted it no more. */
  | { readonly kind: "cancelled" }
  | { readonly kind: "bad-query"; readonly message: string; readonly next: string; readonly position: number | null }
  /** The engine refused for any other reason, which its own sentences tell. */
  | { readonly kind: "refused"; readonly reason: string; readonly message: string; readonly next: string };

export type StartFailure =
  /** The system could not run the file: no permission, wrong architecture. */
  | { readonly kind: "not-runnable"; readonly program: string; readonly message: string }
  | { readonly kind: "silent"; readonly afterMs: number }
  /** The first line on stdout was no announcement. */
  | { readonly kind: "garbled"; readonly line: string }
  | { readonly kind: "exited"; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: "vault-missing" }
  /** A newer version wrote the index; this one leaves it alone. */
  | { readonly kind: "index-too-new" }
  /** It runs, but the socket could not be opened. */
  | { readonly kind: "unreachable" };

/** A reply to a request: expected failures are values, so nobody has to catch them. */
export type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

export function failureOf(error: WireError): Failure {
  const { message, next, position, reason } = error;
  switch (error.code) {
    case ErrorCode.cancelled:
      return { kind: "cancelled" };
    case ErrorCode.badQuery:
      return { kind: "bad-query", message, next, position };
    default:
      return { kind: "refused", reason, message, next };
  }
}

/** The exit codes of `quarry serve` (0 and 3 are no failures). */
export function startFailureOf(code: number | null, signal: string | null): StartFailure {
  if (code === 4) return { kind: "vault-missing" };
  if (code === 5) return { kind: "index-too-new" };
  return { kind: "exited", code, signal };
}

/** Whether starting again can help. What asks the user to act first is not tried over and over. */
export function isWorthRetrying(failure: StartFailure): boolean {
  switch (failure.kind) {
    case "not-runnable":
    case "vault-missing":
    case "index-too-new":
      return false;
    case "exited":
      return failure.code !== 2; // a usage error is the same every time
    case "silent":
    case "garbled":
    case "unreachable":
      return true;
  }
}
