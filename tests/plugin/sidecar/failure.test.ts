import { expect, test } from "vitest";
import { ErrorCode } from "../../../plugin/protocol/codec";
import { type StartFailure, failureOf, isWorthRetrying, startFailureOf } from "../../../plugin/sidecar/failure";

const error = { code: 0, message: "no closing quote", reason: "bad-query", next: "close it", position: 3 };

test("a cancelled request and a query with an error have kinds of their own", () => {
  expect(failureOf({ ...error, code: ErrorCode.cancelled })).toEqual({ kind: "cancelled" });
  expect(failureOf({ ...error, code: ErrorCode.badQuery })).toEqual({ kind: "bad-query", message: "no closing quote", next: "close it", position: 3 });
});

test("any other error keeps the engine's own words", () => {
  expect(failureOf({ ...error, code: -32_020, reason: "busy" })).toEqual({ kind: "refused", reason: "busy", message: "no closing quote", next: "close it" });
});

test("exit codes with a meaning are told apart", () => {
  expect(startFailureOf(4, null)).toEqual({ kind: "vault-missing" });
  expect(startFailureOf(5, null)).toEqual({ kind: "index-too-new" });
  expect(startFailureOf(null, "SIGKILL")).toEqual({ kind: "exited", code: null, signal: "SIGKILL" });
});

test.each<[StartFailure, boolean]>([
  [{ kind: "exited", code: 1, signal: null }, true],
  [{ kind: "exited", code: 2, signal: null }, false],
  [{ kind: "silent", afterMs: 10_000 }, true],
  [{ kind: "garbled", line: "Welcome" }, true],
  [{ kind: "unreachable" }, true],
  [{ kind: "not-runnable", program: "/bin/quarry", message: "EACCES" }, false],
  [{ kind: "vault-missing" }, false],
  [{ kind: "index-too-new" }, false],
])("whether another start can help: %j: %s", (failure, isWorth) => {
  expect(isWorthRetrying(failure)).toBe(isWorth);
});
