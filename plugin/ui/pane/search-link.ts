/** Links to a search: `obsidian://quarry?vault=…&query=…&mode=…&open=1`. */
import { type App } from "obsidian";
import { type Mode, MODES } from "../../protocol/messages";
import { type Requester } from "../../sidecar/client";
import { openHit } from "../list/open";

const MAX_QUERY_CHARS = 1_000; // a link is an address: longer ones are cut by mail programs
// A link may come from anywhere: controls and marks that turn the direction of what follows would hide what it asks.
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

export interface SearchLink {
  /** Null: show the pane as it is. */
  readonly query: string | null;
  /** Null: as the pane has it. */
  readonly mode: Mode | null;
  /** Open the best note instead of the pane, if it is a likely answer. */
  readonly opensBest: boolean;
}

/** Reads the parameters of a link; what is no valid value is taken as not given. */
export function readSearchLink(params: Readonly<Record<string, string | undefined>>): SearchLink {
  const cleaned = params.query?.replace(UNSEEN, " ").replace(/\s+/g, " ").trim() ?? "";
  const query = cleaned === "" ? null : cut(cleaned);
  return {
    query,
    mode: MODES.find((mode) => mode === params.mode) ?? null,
    opensBest: query !== null && (params.open === "1" || params.open === "true"),
  };
}

export function searchLink(vault: string, query: string, mode: Mode): string {
  const parts = { vault, query: query.replace(/\p{Surrogate}/gu, "\ufffd"), ...(mode !== "hybrid" && { mode }) }; // half a pair cannot be encoded
  return `obsidian://quarry?${Object.entries(parts).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}`;
}

function cut(text: string): string {
  const isPair = (text.codePointAt(MAX_QUERY_CHARS - 1) ?? 0) > 0xffff; // a surrogate pair is not cut through
  return text.slice(0, isPair ? MAX_QUERY_CHARS - 1 : MAX_QUERY_CHARS);
}

/** Better than even odds: a note is opened unasked only if it is more probably the right one than not. */
const MIN_CONFIDENCE = 0.5;

/** Opens the best note, if it is a likely answer; false where there is none. */
export async function openBestHit(app: App, client: Requester, query: string, mode: Mode): Promise<boolean> {
  const { reply } = client.request("search", { query, mode, limit: 1 });
  const answer = await reply;
  const [best] = answer.ok && answer.value.weakness === null && answer.value.relaxed === null ? answer.value.hits : [];
  if (!best || best.confidence < MIN_CONFIDENCE) return false;
  return openHit(app, best.path, best.passages[0] ?? null, false);
}
