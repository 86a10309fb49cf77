import { expect, test } from "vitest";
import { type StartFailure } from "../../../plugin/sidecar/failure";
import { failureWords, startFailureWords } from "../../../plugin/i18n/failures";

test.each<[StartFailure]>([
  [{ kind: "not-runnable", program: "/bin/quarry", message: "EACCES" }],
  [{ kind: "silent", afterMs: 10_000 }],
  [{ kind: "garbled", line: "Welcome." }],
  [{ kind: "exited", code: 1, signal: null }],
  [{ kind: "exited", code: null, signal: "SIGKILL" }],
  [{ kind: "vault-missing" }],
  [{ kind: "index-too-new" }],
  [{ kind: "unreachable" }],
])("%j has a sentence", (failure) => {
  expect(startFailureWords(failure)).toMatch(/\.$/);
});

test("a request that failed has a sentence", () => {
  expect(failureWords({ kind: "refused", reason: "busy", message: "the index is busy", next: "try again" })).toBe("The search engine is busy. Try again in a moment.");
  expect(failureWords({ kind: "refused", reason: "bad-settings", message: "fusion is 3", next: "correct the setting" })).toBe("Fusion is 3. Correct the setting.");
  expect(failureWords({ kind: "bad-query", message: "no closing quote", next: "close it", position: 3 })).toBe("No closing quote. Close it.");
  expect(failureWords({ kind: "bad-query", message: "a date", next: "", position: 3, told: { code: "query-too-deep", args: { limit: 32 } } })).toBe("Parentheses are nested more than 32 deep. Use fewer.");
  expect(failureWords({ kind: "timed-out", afterMs: 10_000 })).toContain("10 s");
});
