/**
 * JSON text to messages and back: the only place that calls `JSON.parse`.
 *
 * Only the envelope is validated here. Results are trusted: the connection goes to the port that the sidecar's discovery file
 * names, and both sides agreed on the protocol version in the handshake.
 */
import { type Change, type ClientNotifications, LIMITS, type Message, type Methods, type ServerNotifications } from "./messages";

/** JSON-RPC error codes that the plugin tells apart; the sidecar's envelope defines them. */
export const ErrorCode = {
  cancelled: -32800,
  unauthorized: -32001,
  protocolMismatch: -32002,
  badQuery: -32010,
} as const;

/** The error object of a response. */
export interface WireError {
  readonly code: number;
  /** One sentence for a person. */
  readonly message: string;
  /** A stable identifier of the error, such as `bad-query`. */
  readonly reason: string;
  /** What the user can do next; empty when the sidecar has no advice. */
  readonly next: string;
  /** Where the error is in the query, in UTF-16 code units; null when it has no position. */
  readonly position: number | null;
  /** The message by its code, where it has one. */
  readonly sentence?: Message;
}

/** Notifications that the sidecar sends. */
export type ServerNotification = {
  [M in keyof ServerNotifications]: { readonly method: M; readonly params: ServerNotifications[M] };
}[keyof ServerNotifications];

export type Incoming =
  | { readonly kind: "result"; readonly id: number; readonly result: unknown }
  | { readonly kind: "error"; readonly id: number | null; readonly error: WireError }
  | { readonly kind: "notification"; readonly notification: ServerNotification }
  /** A valid message of a newer sidecar: an unknown notification, or a response without a request. */
  | { readonly kind: "unknown" }
  | { readonly kind: "unreadable" };

export function encodeRequest<M extends keyof Methods>(id: number, method: M, params: Methods[M]["params"]): string {
  return encode({ jsonrpc: "2.0", id, method, params });
}

export function encodeNotification(method: "$/cancel", params: ClientNotifications["$/cancel"]): string {
  return encode({ jsonrpc: "2.0", method, params });
}

// UTF-8 cannot encode half of a surrogate pair. With the `u` flag whole pairs do not match. `String.isWellFormed` would
// do, but is missing in some Electron versions that Obsidian runs on.
const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * `change` as the sidecar can read it: unchanged when its paths can be encoded, a creation or deletion when only one path
 * of a rename can, else null.
 */
export function encodableChange(change: Change): Change | null {
  const { kind, path, oldPath } = change;
  if (kind !== "renamed" || typeof oldPath !== "string") return isEncodablePath(path) ? change : null;
  if (isEncodablePath(path)) return isEncodablePath(oldPath) ? change : { kind: "created", path };
  return isEncodablePath(oldPath) ? { kind: "deleted", path: oldPath } : null;
}

function isEncodablePath(path: string): boolean {
  if (path.length > 2 * LIMITS.maxPathChars || path.search(LONE_SURROGATE) >= 0) return false;
  return path.length <= LIMITS.maxPathChars || Array.from(path).length <= LIMITS.maxPathChars;
}

/** Serializes *message* without lone surrogates: the sidecar rejects them as malformed JSON and cannot name the request. */
function encode(message: object): string {
  return JSON.stringify(message, (_, value: unknown) =>
    typeof value === "string" ? value.replace(LONE_SURROGATE, "\uFFFD") : value,
  );
}

/** Parses one frame. Never throws: anything but a message of this protocol is `unreadable`. */
export function decode(text: string): Incoming {
  const message = parseObject(text);
  if (message?.["jsonrpc"] !== "2.0") return { kind: "unreadable" };
  const { id, method, result, error, params } = message;
  if (typeof method === "string") return notificationOf(method, params);
  if (isObject(error)) return { kind: "error", id: typeof id === "number" ? id : null, error: errorOf(error) };
  if (result === undefined) return { kind: "unreadable" };
  return typeof id === "number" ? { kind: "result", id, result } : { kind: "unknown" };
}

/** Parses a JSON object; null for any other JSON value and for malformed JSON. */
export function parseObject(text: string): Record<string, unknown> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null; // malformed: each caller reports that in its own words
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
  const sentence = data["message"];
  return {
    code: typeof error["code"] === "number" ? error["code"] : 0,
    message: textOf(error["message"]),
    reason: textOf(data["kind"]),
    next: textOf(data["next"]),
    position: typeof data["position"] === "number" ? data["position"] : null,
    ...(isMessage(sentence) && { sentence }),
  };
}

function isMessage(value: unknown): value is Message {
  return isObject(value) && typeof value["code"] === "string" && isObject(value["args"]);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
