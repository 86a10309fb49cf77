/** The list of hits, patched by note: a row that stays keeps its elements, so nothing flickers and no state is lost. */
import { type Clock } from "../clock";
import { type Hit } from "../protocol/messages";
import { type FurtherPassages } from "../search/passage-loader";
import { type HitOption, HitRow } from "./hit-row";
import { longestIncreasingSubsequence } from "./longest-increasing-subsequence";

export class HitList {
  private shown: readonly Hit[] = [];
  private rows = new Map<string, HitRow>();

  constructor(
    private readonly el: HTMLElement,
    private readonly clock: Clock,
  ) {}

  show(hits: readonly Hit[], furtherOf: (path: string) => FurtherPassages, nowMs: number): void {
    if (hits === this.shown) return; // renders while the next answer is pending
    this.shown = hits;
    const before = this.rows;
    const oldPositions = new Map([...before.keys()].map((path, position) => [path, position]));
    const inOrder = longestIncreasingSubsequence(hits.flatMap(({ path }) => oldPositions.get(path) ?? []));
    this.rows = new Map(hits.map((hit) => [hit.path, this.rowFor(hit, furtherOf(hit.path), nowMs)]));
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
  moreLineAt(target: EventTarget | null): string | null {
    if (!isNode(target)) return null;
    for (const [path, row] of this.rows) if (row.isMoreLine(target)) return path;
    return null;
  }

  /** Shows the further passages of a hit as they are now. */
  showFurther(path: string, state: FurtherPassages): void {
    this.rows.get(path)?.showFurther(state);
  }

  hasFurther(path: string): boolean {
    return this.rows.get(path)?.hasFurther ?? false;
  }

  isExpanded(path: string): boolean {
    return this.rows.get(path)?.isExpanded ?? false;
  }

  private rowFor(hit: Hit, further: FurtherPassages, nowMs: number): HitRow {
    const row = this.rows.get(hit.path) ?? new HitRow(hit, this.clock);
    row.update(hit, nowMs);
    row.showFurther(further);
    return row;
  }
}

/** Runs `change` and scrolls `scroller` so that `el`, if it is still there, stays where it was on the screen. */
export function keepInPlace(scroller: HTMLElement, el: Element | null, change: () => void): void {
  const before = el?.getBoundingClientRect().top ?? 0;
  change();
  if (el?.isConnected) scroller.scrollTop += el.getBoundingClientRect().top - before;
}

/** Duck-typed, because a pop-out window has a `Node` class of its own. */
function isNode(target: EventTarget | null): target is Node {
  return target !== null && "nodeType" in target;
}
