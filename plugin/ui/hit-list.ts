/** The list of hits, patched by note: a row that stays keeps its elements, so nothing flickers and no state is lost. */
import { type Hit } from "../protocol/messages";
import { type HitOption, HitRow } from "./hit-row";
import { longestIncreasingSubsequence } from "./longest-increasing-subsequence";

export class HitList {
  private shown: readonly Hit[] = [];
  private rows = new Map<string, HitRow>();

  constructor(private readonly el: HTMLElement) {}

  show(hits: readonly Hit[], nowMs: number): void {
    if (hits === this.shown) return; // renders while the next answer is pending
    this.shown = hits;
    const before = this.rows;
    const oldPositions = new Map([...before.keys()].map((path, position) => [path, position]));
    const inOrder = longestIncreasingSubsequence(hits.flatMap(({ path }) => oldPositions.get(path) ?? []));
    this.rows = new Map(hits.map((hit) => [hit.path, this.rowFor(hit, nowMs)]));
    for (const [path, row] of before) if (!this.rows.has(path)) row.el.remove();

    let next: Element | null = null;
    for (const [path, { el }] of [...this.rows].reverse()) {
      if (!inOrder.has(oldPositions.get(path) ?? -1)) this.el.insertBefore(el, next);
      next = el;
    }
  }

  updateAges(nowMs: number): void {
    for (const row of this.rows.values()) row.updateAge(nowMs);
  }

  get options(): readonly HitOption[] {
    return [...this.rows.values()].flatMap((row) => row.options);
  }

  /** The option that contains the target of a mouse event. */
  optionAt(target: EventTarget | null): HitOption | null {
    if (!isNode(target)) return null;
    return this.options.find(({ el }) => el.contains(target)) ?? null;
  }

  /** The path of the note whose "more passages" line contains the target. */
  moreButtonAt(target: EventTarget | null): string | null {
    if (!isNode(target)) return null;
    for (const [path, row] of this.rows) if (row.isMoreButton(target)) return path;
    return null;
  }

  /** Shows or hides the passages beyond the best; true when that changed anything. */
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

/** Duck-typed, because a pop-out window has a `Node` class of its own. */
function isNode(target: EventTarget | null): target is Node {
  return target !== null && "nodeType" in target;
}
