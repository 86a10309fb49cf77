/** The rows of the list, patched by key: a row that stays keeps its elements, so nothing flickers and no state is lost. */
import { type Clock } from "../../clock";
import { type ActionId } from "../../pane/commands";
import { type Row } from "../../pane/rows";
import { type Room } from "../../snippet/excerpt";
import { HitView } from "./hit-view";
import { CreateView, DividerView, ExampleView, ExtractView, MoreView, type RecentHandlers, RecentView, type RowView } from "./row-views";

/** A list without queries leaves out what happens to them. */
export interface RowListParts extends Partial<RecentHandlers> {
  readonly clock: Clock;
  readonly act?: (action: ActionId) => void;
}

export class RowList {
  #shown: readonly Row[] = [];
  #room: Room | null = null;
  #views = new Map<string, RowView>();
  #options = new Map<string, { readonly row: Row; readonly el: HTMLElement }>();

  constructor(
    private readonly el: HTMLElement,
    private readonly parts: RowListParts,
  ) {}

  show(rows: readonly Row[], nowMs: number, room: Room): void {
    if (rows === this.#shown && room === this.#room) return; // renders while the next answer is pending
    this.#shown = rows;
    this.#room = room;
    const before = this.#views;
    const own = rows.filter(({ kind }) => kind !== "passage"); // a passage is drawn by its hit
    this.#views = new Map(own.map((row) => [row.key, before.get(row.key) ?? this.#viewOf(row)]));
    for (const row of own) this.#views.get(row.key)?.show(row, nowMs, room);
    for (const [key, view] of before) if (!this.#views.has(key)) view.el.remove();
    this.#place(before);
    this.#options = optionsOf(rows, this.#views);
    this.#number();
  }

  updateAges(nowMs: number): void {
    for (const view of this.#views.values()) view.updateAge?.(nowMs);
  }

  elementOf(key: string | null): HTMLElement | null {
    return key === null ? null : (this.#options.get(key)?.el ?? null);
  }

  /** Marks the rows that are chosen; while none is, the selected row is announced to a screen reader instead. */
  markChosen(chosen: ReadonlySet<string>, selected: string | null): void {
    for (const [key, { el }] of this.#options) {
      el.toggleClass("is-chosen", chosen.has(key));
      el.setAttr("aria-selected", String(chosen.size > 0 ? chosen.has(key) : key === selected));
    }
  }

  /** The row that contains the target of a mouse event. */
  rowAt(target: EventTarget | null): Row | null {
    if (!isNode(target)) return null;
    for (const { row, el } of this.#options.values()) if (el.contains(target)) return row;
    return null;
  }

  /** The key of the row whose part for unfolding contains the target. */
  unfolderAt(target: EventTarget | null): string | null {
    if (!isNode(target)) return null;
    for (const [key, view] of this.#views) if (view.isUnfolder?.(target)) return key;
    return null;
  }

  /** The key of the row whose button for undoing its dismissal contains the target. */
  undoAt(target: EventTarget | null): string | null {
    if (!isNode(target)) return null;
    for (const [key, view] of this.#views) if (view.isUndo?.(target)) return key;
    return null;
  }

  #viewOf(row: Row): RowView {
    switch (row.kind) {
      case "extract":
        return new ExtractView();
      case "hit":
      case "passage":
        return new HitView(this.parts.clock);
      case "recent":
        return new RecentView(this.parts);
      case "example":
        return new ExampleView();
      case "divider":
        return new DividerView(this.parts.act);
      case "more":
        return new MoreView();
      case "create":
        return new CreateView();
    }
  }

  /** Numbers the options for a screen reader: dividers and groups are between them. */
  #number(): void {
    const size = String(this.#options.size);
    let position = 0;
    for (const { el } of this.#options.values()) {
      position += 1;
      if (el.getAttribute("aria-posinset") !== String(position)) el.setAttr("aria-posinset", position);
      if (el.getAttribute("aria-setsize") !== size) el.setAttr("aria-setsize", size);
    }
  }

  /** Moves only the elements that are not in order already. */
  #place(before: ReadonlyMap<string, RowView>): void {
    const oldPositions = new Map([...before.keys()].map((key, position) => [key, position]));
    const inOrder = longestIncreasingSubsequence([...this.#views.keys()].flatMap((key) => oldPositions.get(key) ?? []));
    let next: Element | null = null;
    for (const [key, { el }] of [...this.#views].reverse()) {
      if (!inOrder.has(oldPositions.get(key) ?? -1)) this.el.insertBefore(el, next);
      next = el;
    }
  }
}

/** Key -> row and element of everything that can be selected. A view's options are its row and the passages behind it. */
function optionsOf(rows: readonly Row[], views: ReadonlyMap<string, RowView>): Map<string, { row: Row; el: HTMLElement }> {
  const found = new Map<string, { row: Row; el: HTMLElement }>();
  let waiting: readonly HTMLElement[] = [];
  for (const row of rows) {
    waiting = views.get(row.key)?.options ?? waiting;
    const [el, ...others] = waiting;
    if (el) found.set(row.key, { row, el });
    waiting = others;
  }
  return found;
}

/** Runs `change` and scrolls `scroller` so that `el`, if it is still there, stays where it was on the screen. */
export function keepInPlace(scroller: HTMLElement, el: Element | null, change: () => void): void {
  const before = el?.getBoundingClientRect().top ?? 0;
  change();
  if (el?.isConnected) scroller.scrollTop += el.getBoundingClientRect().top - before;
}

/** Duck-typed, because a pop-out window has a `Node` class of its own. */
export function isNode(target: EventTarget | null): target is Node {
  return target !== null && "nodeType" in target;
}

/**
 * A longest increasing subsequence of `values`, which are all different: the rows at these old positions are in order
 * already, so a list patched by key moves only the others.
 *
 * Patience sorting with back pointers, O(n log n): M. L. Fredman, "On computing the length of longest increasing
 * subsequences", Discrete Mathematics 11 (1975), 29-35.
 *
 * @param values old positions, in the new order
 * @returns the values of the subsequence
 */
export function longestIncreasingSubsequence(values: readonly number[]): ReadonlySet<number> {
  const piles: number[] = []; // the top of each pile: the smallest value that ends a subsequence of that length
  const previous = new Map<number, number>(); // value -> the value before it in its subsequence
  for (const value of values) {
    const pile = firstNotBelow(piles, value);
    const before = piles[pile - 1];
    if (before !== undefined) previous.set(value, before);
    piles[pile] = value;
  }
  const subsequence = new Set<number>();
  for (let value = piles.at(-1); value !== undefined; value = previous.get(value)) subsequence.add(value);
  return subsequence;
}

/** Index of the first element of ascending `sorted` that is at least `value`; its length when there is none. */
function firstNotBelow(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? Infinity) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
