/** The elements of a list of results, and how its model is drawn: only what differs from the model drawn before. */
import { t } from "../../i18n/translate";
import { type PaneModel, stateOf } from "../../pane/model";
import { type PaneState } from "../../pane/state";
import { isWide, type Room, roomFor, rowsInSight } from "../../snippet/excerpt";
import { ActiveOption, DelayedFlag, LiveRegion } from "./elements";
import { keepInPlace, RowList, type RowListParts } from "./row-list";

export interface ListDom {
  /** Holds the list and what is around it; says the density to the style sheet. */
  readonly el: HTMLElement;
  /** What scrolls. */
  readonly bodyEl: HTMLElement;
  readonly listEl: HTMLElement;
  readonly stale: DelayedFlag;
  readonly rows: RowList;
  readonly active: ActiveOption;
  readonly live: LiveRegion;
  /** Whether a search box keeps the keyboard focus. */
  readonly hasBox: boolean;
}

/** Attributes of an element that scrolls, so that it can be reached and scrolled by keys. */
export function scrollable(name: string): Record<string, string> {
  return { tabindex: "0", role: "group", "aria-label": name };
}

let lastListId = 0; // ids must be unique in the document, which may have several lists

/**
 * A list in `bodyEl`, which is in `el`. `input` is the box that keeps the keyboard focus; without one the list itself can
 * be focused.
 */
export function buildList(el: HTMLElement, bodyEl: HTMLElement, input: HTMLInputElement | null, parts: RowListParts): ListDom {
  el.addClass("quarry-results");
  const listEl = bodyEl.createDiv({ cls: "quarry-list search-result-container" });
  lastListId += 1;
  listEl.id = `quarry-list-${lastListId}`;
  listEl.setAttrs({ role: "listbox", "aria-multiselectable": "true", "aria-label": t("pane.results"), tabindex: input ? null : "0" });
  input?.setAttrs({ "aria-controls": listEl.id, "aria-expanded": "false" });
  const rows = new RowList(listEl.createDiv({ cls: "search-results-children", attr: { role: "presentation" } }), parts);
  const stale = new DelayedFlag(parts.clock, (isStale) => { listEl.toggleClass("is-stale", isStale); });
  const live = new LiveRegion(el.createDiv({ cls: "quarry-live", attr: { "aria-live": "polite" } }));
  return { el, bodyEl, listEl, rows, stale, active: new ActiveOption(input, listEl), live, hasBox: input !== null };
}

export class ListView {
  #shown: PaneModel | null = null;
  #scrollWanted = 0; // of the next answer
  #currentRoom: Room = roomFor(0, "normal");
  #fitting = rowsInSight(0, "normal");

  #scrolledTo = 0;

  constructor(private readonly dom: ListDom) {
    const { bodyEl } = dom;
    bodyEl.addEventListener("scroll", () => { this.#scrolledTo = bodyEl.scrollTop; }, { passive: true });
    for (const touch of ["wheel", "pointerdown"]) bodyEl.addEventListener(touch, () => { this.#scrollWanted = 0; }, { passive: true });
  }

  /** The room for an excerpt, as of the last measurement. */
  get room(): Room {
    return this.#currentRoom;
  }

  /** How many rows are seen without scrolling, as of the last measurement. */
  get rowsInSight(): number {
    return this.#fitting;
  }

  show(model: PaneModel): void {
    const before = this.#shown;
    this.#shown = model;
    if (model.density !== before?.density) this.measure();
    this.dom.stale.set(isStale(stateOf(model)));
    this.#showRows(model, before);
  }

  /** Scrolls so far once the rows of the next answer are drawn. */
  scrollTo(top: number): void {
    this.#scrollWanted = top;
  }

  /** Measures the list and draws the rows for its width. */
  measure(): void {
    const density = this.#shown?.density ?? "normal";
    const { listEl, bodyEl, el } = this.dom;
    const room = roomFor(listEl.clientWidth, density);
    this.#fitting = rowsInSight(bodyEl.clientHeight, density);
    el.dataset["density"] = density;
    el.toggleClass("is-wide", isWide(listEl.clientWidth));
    if (room.characters === this.#currentRoom.characters && room.asked === this.#currentRoom.asked) return;
    this.#currentRoom = room;
    if (this.#shown) this.dom.rows.show(this.#shown.rows, Date.now(), room);
  }

  #showRows(model: PaneModel, before: PaneModel | null): void {
    const { rows, active, bodyEl, listEl } = this.dom;
    const { search } = model;
    const isAnswer = search !== before?.search && search.kind === "results";
    const isNew = isAnswer && !search.isRefresh;
    if (model.rows !== before?.rows) {
      const pointed = listEl.querySelector(".quarry-option:hover, .quarry-more:hover") ?? active.el;
      const held = !isNew && model.selection.isPinned ? pointed : null;
      keepInPlace(bodyEl, held, () => { rows.show(model.rows, Date.now(), this.#currentRoom); });
    }
    active.show(rows.elementOf(model.selection.key));
    const { chosen } = model.selection;
    if (chosen.size > 0 || (before?.selection.chosen.size ?? 0) > 0) rows.markChosen(chosen, model.selection.key);
    if (isNew || (isAnswer && this.#scrollWanted > 0)) {
      // Setting it lays the page out: most often the list is where it is wanted.
      if (this.#scrollWanted !== this.#scrolledTo) bodyEl.scrollTop = this.#scrolledTo = this.#scrollWanted;
      // The rows that are loaded first may not reach so far; those that follow do, unless the user is among them by then.
      if (this.#scrollWanted > 0) this.#scrolledTo = bodyEl.scrollTop;
      if (this.#scrolledTo >= this.#scrollWanted) this.#scrollWanted = 0;
    } else if (model.selection.key !== before?.selection.key && model.selection.isPinned) {
      this.#scrollWanted = 0;
      active.el?.scrollIntoView({ block: "nearest" });
    }
  }
}

/** Whether the rows answer an earlier query, or come from an engine that is gone. */
function isStale({ kind }: PaneState): boolean {
  return kind !== "results" && kind !== "empty";
}
