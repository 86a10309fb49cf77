/**
 * How is a failure told, and what can be done about it? Pure.
 *
 * In English, messages of the sidecar about a setting or a note are shown unchanged: they are more specific than an error code.
 */
import { type Failure, type StartFailure } from "../sidecar/failure";
import { joinSentences, seconds } from "./formatting";
import { toldWords, wordsByCode } from "./told";
import { t } from "./translate";

export function failureWords(failure: Failure): string {
  switch (failure.kind) {
    case "not-connected":
    case "disconnected":
      return t("failure.disconnected");
    case "timed-out":
      return t("failure.timed-out", { count: seconds(failure.afterMs) });
    case "cancelled":
      return t("failure.cancelled");
    case "bad-query":
      return toldWords(failure.told ? [failure.told] : [], joinSentences(failure.message, failure.next));
    case "refused":
      return wordsByCode(`failure.refused.${failure.reason}`) ?? wordsByCode("failure.refused.other") ?? joinSentences(failure.message, failure.next);
  }
}

export function startFailureWords(failure: StartFailure): string {
  switch (failure.kind) {
    case "not-runnable":
      return t("failure.not-runnable", { program: failure.program, message: failure.message });
    case "silent":
      return t("failure.silent", { count: seconds(failure.afterMs) });
    case "garbled":
      return t("failure.garbled", { line: failure.line });
    case "exited":
      return failure.signal === null ? t("failure.exited", { code: String(failure.code ?? "?") }) : t("failure.killed", { signal: failure.signal });
    case "vault-missing":
    case "index-too-new":
    case "unreachable":
      return t(`failure.${failure.kind}`);
  }
}

/** The diagnostics as text, one fact per line. In English: they are written for those who read bug reports. */
export function reportText(facts: readonly (readonly [string, string])[], log: string): string {
  const lines = facts.map(([label, value]) => `${label}: ${value}`);
  return [...lines, "", "Engine log:", log.trim() === "" ? "(none)" : log.trim()].join("\n");
}
