/**
 * Searches connected tiers beside the vault, behind the interface of the engine, so that a session asks as it always does.
 *
 * A hit from elsewhere becomes one whose path is that of no note of this vault: absolute, or begun with "//" and the tier's name.
 */
import { type AbsentTier, type Hit, type Origin, type SearchOptions, type SearchResult, type TierHit, type TierSearchResult } from "../protocol/messages";
import { type Method, type Params, type Pending, type Requester, type Result } from "../sidecar/client";
import { type Reply } from "../sidecar/failure";

/** What a search of several tiers found, as that of one vault. */
export interface TieredResult extends SearchResult {
  readonly absent: readonly AbsentTier[];
}

/** Asks `client`, for searches also in the tiers that `names` gives; none: only in this vault. */
export function tieredRequester(client: Requester, names: () => readonly string[]): Requester {
  const request = <M extends Method>(method: M, params: Params<M>, timeoutMs?: number): Pending<Result<M>> => {
    const tiers = names();
    if (method !== "search" || tiers.length === 0) return client.request(method, params, timeoutMs);
    const pending = client.request("tiers/search", { ...(params as SearchOptions), tiers: ["home", ...tiers] }, timeoutMs);
    // Refused where one of them is connected no longer: then this vault is searched alone.
    const reply = pending.reply.then((given): Reply<SearchResult> | Promise<Reply<SearchResult>> => {
      if (!given.ok) return given.failure.kind === "refused" ? client.request("search", params as SearchOptions, timeoutMs).reply : given;
      return { ok: true, value: withPlaces(given.value) };
    });
    return { ...pending, reply } as Pending<unknown> as Pending<Result<M>>;
  };
  return { request };
}

/** Where a hit comes from; null for a note of this vault. */
export function originOf(hit: Hit): Origin | null {
  const { origin } = hit as Partial<TierHit>;
  return origin && origin.kind !== "home" ? origin : null;
}

function withPlaces(found: TierSearchResult): TieredResult {
  const { extract, hits } = found;
  const [first] = hits; // its tier is the one that was asked for a sentence
  return { ...found, hits: hits.map(placed), extract: extract && first ? { ...extract, path: placeOf(first.origin, extract.path) } : null };
}

/** Only its own vault has more to say of a note from elsewhere. */
function placed(hit: TierHit): TierHit {
  return originOf(hit) === null ? hit : { ...hit, path: placeOf(hit.origin, hit.path), furtherPassages: 0, maps: [] };
}

function placeOf({ kind, name, path }: Origin, note: string): string {
  if (kind === "home") return note;
  return path?.includes("\\") ? `${path}\\${note.replace(/\//gu, "\\")}` : `${path ?? `//${name}`}/${note}`;
}

/** An address that opens the note at an absolute path: in Obsidian if it is in a vault, else in the system's program for its kind. */
export function addressOf(path: string, isVault: boolean): string {
  if (isVault) return `obsidian://open?path=${encodeURIComponent(path)}`;
  const parts = path.replace(/\\/gu, "/").replace(/^\//u, "").split("/");
  return `file:///${parts.map((part, at) => (at === 0 && /^[A-Za-z]:$/u.test(part) ? part : encodeURIComponent(part))).join("/")}`;
}
