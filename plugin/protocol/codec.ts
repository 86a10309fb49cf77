/**
 * JSON text to messages and back: the one place that says `JSON.parse`.
 *
 * Only the envelope is checked here. What is inside a result is trusted, because the sidecar proved itself by the token
 * file and both sides agreed on the protocol version before anything else was said.
 */
import { type ClientNotifications, type Methods, type ServerNotifications } from "./messages";

/** JSON-RPC error codes that the plugin tells apart; the sidecar's envelope defines them. */
export const ErrorCode = {
  cancelled: -32800,
  unauthorized: -32001,
  protocolMismatch: -32002,
  badQuery: -32010,
} as const;

/** What went wrong, as the sidecar says it. */
export interface WireError {
  readonly code: number;
  /** One sentence for a person. */
  readonly message: string;
  /** A stable word for the case, such as `bad-query`. */
  readonly reason: string;
  /** What to do next, for a person; empty when the sidecar has no advice. */
  readonly next: string;
  /** UTF-16 offset into the query, where one can be named. */
  readonly position: number | null;
}

/** Notifications that the sidecar sends. */
export type ServerNotification = {
  [M in keyof ServerNotifications]: { readonly method: M; readonly params: ServerNotifications[M] };
}[keyof ServerNotifications];

export type Incoming =
  | { readonly kind: "result"; readonly id: number; readonly result: unknown }
  | { readonly kind: "error"; readonly id: number | null; readonly error: WireError }
  | { readonly kind: "notification"; readonly notification: ServerNotification }
  /** Valid, but from a newer sidecar: an unknown notification, or an answer to nobody. */
  | { readonly kind: "unknown" }
  | { readonly kind: "unreadable" };

export function encodeRequest<M extends keyof Methods>(id: number, method: M, params: Methods[M]["params"]): string {
  return encode({ jsonrpc: "2.0", id, method, params });
}

export function encodeNotification(method: "$/cancel", params: ClientNotifications["$/cancel"]): string {
  return encode({ jsonrpc: "2.0", method, params });
}

/** Half of a pair of surrogates without its other half: with the `u` flag, whole pairs do not match. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Whether UTF-8 can carry `text`. `String.isWellFormed` says the same, but not in every Electron that Obsidian runs on. */
export function isWellFormed(text: string): boolean {
  return text.search(LONE_SURROGATE) === -1;
}

/** A frame that the sidecar can read: it takes a lone surrogate for broken JSON, and then cannot even name the request. */
function encode(message: object): string {
  return JSON.stringify(message, (_, value: unknown) =>
    typeof value === "string" ? value.replace(LONE_SURROGATE, "\uFFFD") : value,
  );
}

/** Reads one frame. Never throws: what is no message of ours is `unreadable`. */
export function decode(text: string): Incoming {
  const message = parseObject(text);
  if (message?.["jsonrpc"] !== "2.0") return { kind: "unreadable" };
  const { id, method, result, error, params } = message;
  if (typeof method === "string") return notificationOf(method, params);
  if (isObject(error)) return { kind: "error", id: typeof id === "number" ? id : null, error: errorOf(error) };
  if (result === undefined) return { kind: "unreadable" };
  return typeof id === "number" ? { kind: "result", id, result } : { kind: "unknown" };
}

/** The object that `text` is the JSON of, or null for anything else. */
export function parseObject(text: string): Record<string, unknown> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null; // not JSON: every caller has its own words for that
  }
  return isObject(value) ? value : null;
}

function notificationOf(method: string, params: unknown): Incoming {
  if (!isObject(params)) return { kind: "unreadable" };
  switch (method) {
    case "index/progress":
    case "index/updated":
      return { kind: "notification", notification: { method, params } as unknown as ServerNotification };
    default:
      return { kind: "unknown" };
  }
}

function errorOf(error: Record<string, unknown>): WireError {
  const data = isObject(error["data"]) ? error["data"] : {};
  return {
    code: typeof error["code"] === "number" ? error["code"] : 0,
    message: textOf(error["message"]),
    reason: textOf(data["kind"]),
    next: textOf(data["next"]),
    position: typeof data["position"] === "number" ? data["position"] : null,
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
