/** All hits as rows, patched by note: a row that stays keeps its elements, so nothing flickers and nothing is lost. */
import { type Hit } from "../protocol/messages";
import { type HitOption, HitRow } from "./hit-row";
import { staying } from "./reorder";

export class HitList {
  private shown: readonly Hit[] = [];
  private rows = new Map<string, HitRow>();

  constructor(private readonly el: HTMLElement) {}

  show(hits: readonly Hit[], nowMs: number): void {
    if (hits === this.shown) return; // at every key, while the next answer is awaited
    this.shown = hits;
    const before = this.rows;
    const places = new Map([...before.keys()].map((path, place) => [path, place]));
    const stay = staying(hits.flatMap(({ path }) => places.get(path) ?? []));
    this.rows = new Map(hits.map((hit) => [hit.path, this.rowFor(hit, nowMs)]));
    for (const [path, row] of before) if (!this.rows.has(path)) row.el.remove();

    let next: Element | null = null;
    for (const [path, { el }] of [...this.rows].reverse()) {
      if (!stay.has(places.get(path) ?? -1)) this.el.insertBefore(el, next);
      next = el;
    }
  }

  updateAges(nowMs: number): void {
    for (const row of this.rows.values()) row.updateAge(nowMs);
  }

  get options(): readonly HitOption[] {
    return [...this.rows.values()].flatMap((row) => row.options);
  }

  /** The entry that a mouse event happened in. */
  optionAt(target: EventTarget | null): HitOption | null {
    if (!isNode(target)) return null;
    return this.options.find(({ el }) => el.contains(target)) ?? null;
  }

  /** The note whose "more passages" was pressed. */
  moreButtonAt(target: EventTarget | null): string | null {
    if (!isNode(target)) return null;
    for (const [path, row] of this.rows) if (row.isMoreButton(target)) return path;
    return null;
  }

  /** Shows or hides the passages beyond the best. Gives whether that changed anything. */
  setExpanded(path: string, isExpanded: boolean): boolean {
    const row = this.rows.get(path);
    if (!row?.hasMore || row.isExpanded === isExpanded) return false;
    row.setExpanded(isExpanded);
    return true;
  }

  isExpanded(path: string): boolean {
    return this.rows.get(path)?.isExpanded ?? false;
  }

  private rowFor(hit: Hit, nowMs: number): HitRow {
    const row = this.rows.get(hit.path);
    if (!row) return new HitRow(hit, nowMs);
    row.update(hit, nowMs);
    return row;
  }
}

/** By shape, since a pop-out window has a `Node` of its own. */
function isNode(target: EventTarget | null): target is Node {
  return target !== null && "nodeType" in target;
}

/**
 * Positions of the longest subsequence of `values` that rises; null stands for what can be in none. Quadratic, which
 * for the hundred rows that a list has at most is nothing.
 */
export function longestRising(values: readonly (number | null)[]): ReadonlySet<number> {
  // For each position: how long the best subsequence is that ends there, and which position comes before it.
  const best: { length: number; before: number | null }[] = [];
  let last: number | null = null;
  for (const [index, value] of values.entries()) {
    const end: { length: number; before: number | null } = { length: value === null ? 0 : 1, before: null };
    best.push(end);
    if (value === null) continue;
    for (let earlier = 0; earlier < index; earlier += 1) {
      const other = values[earlier] ?? null;
      const length = (best[earlier]?.length ?? 0) + 1;
      if (other !== null && other < value && length > end.length) Object.assign(end, { length, before: earlier });
    }
    if (end.length > (last === null ? 0 : (best[last]?.length ?? 0))) last = index;
  }
  const positions = new Set<number>();
  for (let at = last; at !== null; at = best[at]?.before ?? null) positions.add(at);
  return positions;
}
