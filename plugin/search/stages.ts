/**
 * When is a search answered in two stages, and what stays in its place between them? Pure.
 *
 * Words are found at once; meaning may take longer, with a contextual model or on a busy machine. Where it does, what
 * holds the words is shown first, and what meaning adds comes in below: rows that a person may be reading do not move.
 */
import { type Hit } from "../protocol/messages";

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
export function belowPrefix(first: readonly Hit[], second: readonly Hit[], isTouched: boolean): readonly Hit[] {
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
