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

const LEADING = 3; // rows that are read while typing
const FIRST_MARGIN = 0.05; // of the score, by which another row has to be better to take the first place
const OTHER_MARGIN = 0.15;
const NAMED_MARGIN = 0.3; // to take the place of a note whose title goes on as the query begins

/** `hits` with the leading ones of `before`, the answer to a part of what was typed, in their places unless others are better by a margin. */
export function steady(before: readonly Hit[], hits: readonly Hit[], typed: string): readonly Hit[] {
  const rest = [...hits];
  const leading = before.slice(0, LEADING).flatMap(({ path }, place) => {
    const [best] = rest;
    if (!best) return [];
    const own = rest.find((hit) => hit.path === path) ?? best;
    const margin = isNamed(own.title, typed) ? NAMED_MARGIN : place === 0 ? FIRST_MARGIN : OTHER_MARGIN;
    const taken = (best.score ?? 0) - (own.score ?? 0) < margin ? own : best;
    rest.splice(rest.indexOf(taken), 1);
    return [taken];
  });
  return [...leading, ...rest];
}

/** Whether `title`, from the beginning of a word on, goes on from `typed`. */
function isNamed(title: string, typed: string): boolean {
  return wordsOf(title).includes(wordsOf(typed));
}

function wordsOf(text: string): string {
  return ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim()}`;
}
