/** The rows of the list, patched by key: a row that stays keeps its elements, so nothing flickers and no state is lost. */
import { type Clock } from "../../clock";
import { type ActionId } from "../../pane/commands";
import { type Row } from "../../pane/rows";
import { type Room } from "../../snippet/excerpt";
import { arrange, showAttr, showClass } from "./elements";
import { hitView } from "./hit-view";
import { createView, dividerView, exampleView, extractView, moreView, type RecentHandlers, recentView, type RowView } from "./row-views";

export interface RowListParts {
  readonly clock: Clock;
  /** Left out of a list without queries. */
  readonly queries?: RecentHandlers;
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
    arrange(this.el, [...this.#views.values()].map(({ el }) => el));
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
      showClass(el, "is-chosen", chosen.has(key));
      showAttr(el, "aria-selected", String(chosen.size > 0 ? chosen.has(key) : key === selected));
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
    return this.#keyOf((view) => isNode(target) && view.isUnfolder?.(target) === true);
  }

  /** The key of the row whose button for undoing its dismissal contains the target. */
  undoAt(target: EventTarget | null): string | null {
    return this.#keyOf((view) => isNode(target) && view.isUndo?.(target) === true);
  }

  #keyOf(isWanted: (view: RowView) => boolean): string | null {
    return [...this.#views].find(([, view]) => isWanted(view))?.[0] ?? null;
  }

  #viewOf(row: Row): RowView {
    switch (row.kind) {
      case "extract":
        return extractView();
      case "hit":
      case "passage":
        return hitView(this.parts.clock);
      case "recent":
        return recentView(this.parts.queries);
      case "example":
        return exampleView();
      case "divider":
        return dividerView(this.parts.act);
      case "more":
        return moreView();
      case "create":
        return createView();
    }
  }

  /** Numbers the options for a screen reader: dividers and groups are between them. */
  #number(): void {
    const size = String(this.#options.size);
    let position = 0;
    for (const { el } of this.#options.values()) {
      position += 1;
      showAttr(el, "aria-posinset", String(position));
      showAttr(el, "aria-setsize", size);
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
