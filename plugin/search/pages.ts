/** Pages and stages of one list of hits: which hits are requested next, and how they join those that are shown. Pure. */
import { type Hit, LIMITS } from "../protocol/messages";

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** The page behind `received` hits, of `wanted` in all; null when they are there. `reachable`: where paging ends, if that is known. */
export function pageAfter(received: number, wanted: number, reachable = Infinity): Page | null {
  const limit = Math.min(LIMITS.maxLimit, Math.min(wanted, reachable) - received);
  return limit > 0 ? { offset: received, limit } : null;
}

/** `hits` and those of the next page. A note that moved while the index changed is listed once. */
export function joined(hits: readonly Hit[], page: readonly Hit[]): readonly Hit[] {
  const known = new Set(hits.map(({ path }) => path));
  return [...hits, ...page.filter(({ path }) => !known.has(path))];
}

/** Hits of the first stage: more than a pane shows without scrolling. */
export const FIRST_HITS = 12;
/** An answer by words and meaning that took longer makes the next one be asked for in two stages. */
export const SLOW_MS = 60;
/** Hits of the first stage that keep their places: what is read before the second arrives. */
const PREFIX = 3;

/**
 * The hits of the second stage behind those that the first began with: three that hold every word of the query, or all that
 * are still found, once the user is among them (`isTouched`).
 */
export function mergeStages(first: readonly Hit[], second: readonly Hit[], isTouched: boolean): readonly Hit[] {
  const found = new Map(second.map((hit) => [hit.path, hit]));
  const kept = isTouched ? first : leading(first);
  const prefix = kept.flatMap(({ path }) => found.get(path) ?? []);
  const stays = new Set(prefix);
  return [...prefix, ...second.filter((hit) => !stays.has(hit))];
}

/** The hits at the front that hold every word, `PREFIX` at most. */
function leading(hits: readonly Hit[]): readonly Hit[] {
  const end = hits.findIndex(({ missingWords }) => missingWords.length > 0);
  return hits.slice(0, Math.min(PREFIX, end < 0 ? hits.length : end));
}
