/** Which hits does the next request ask for, and how do pages become one list? Pure. */
import { type Hit } from "../protocol/messages";

const MAX_PAGE = 100; // of the protocol

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** The page behind `received` hits, of `wanted` in all; null when they are there. `reachable`: where paging ends, if that is known. */
export function pageAfter(received: number, wanted: number, reachable = Infinity): Page | null {
  const limit = Math.min(MAX_PAGE, Math.min(wanted, reachable) - received);
  return limit > 0 ? { offset: received, limit } : null;
}

/** `hits` and those of the next page. A note that moved while the index changed stands once. */
export function joined(hits: readonly Hit[], page: readonly Hit[]): readonly Hit[] {
  const known = new Set(hits.map(({ path }) => path));
  return [...hits, ...page.filter(({ path }) => !known.has(path))];
}
