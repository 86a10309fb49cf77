/**
 * How is a failure told, and what can be done about it? Pure.
 *
 * Messages of the sidecar about a query or a note are shown unchanged: they are more specific than an error code.
 */
import { type Failure, type StartFailure } from "../sidecar/failure";
import { joinSentences, seconds } from "./formatting";

export function failureWords(failure: Failure): string {
  switch (failure.kind) {
    case "not-connected":
    case "disconnected":
      return "The search engine is not connected. Quarry is restarting it.";
    case "timed-out":
      return `No answer within ${seconds(failure.afterMs)}. The computer may be busy.`;
    case "cancelled":
      return "The request was cancelled.";
    case "bad-query":
    case "refused":
      return joinSentences(failure.message, failure.next);
  }
}

export function startFailureWords(failure: StartFailure): string {
  switch (failure.kind) {
    case "not-runnable":
      return `${failure.program} could not be run: ${failure.message}. Choose another engine in the settings or install it again.`;
    case "silent":
      return `The engine did not respond within ${seconds(failure.afterMs)}. The diagnostics include its log.`;
    case "garbled":
      return `The program is not a Quarry engine. It printed: ${failure.line}`;
    case "exited":
      return `The engine exited (${failure.signal ?? `code ${failure.code ?? "unknown"}`}). The diagnostics include its log.`;
    case "vault-missing":
      return "The engine cannot find the vault's folder. Check that its drive is connected.";
    case "index-too-new":
      return "This vault's index was written by a newer version. Update the engine. The index has not been changed.";
    case "unreachable":
      return "The engine is running but cannot be reached. A firewall may be blocking 127.0.0.1.";
  }
}

/** The diagnostics as text, one fact per line. */
export function reportText(facts: readonly (readonly [string, string])[], log: string): string {
  const lines = facts.map(([label, value]) => `${label}: ${value}`);
  return [...lines, "", "Engine log:", log.trim() === "" ? "(none)" : log.trim()].join("\n");
}
