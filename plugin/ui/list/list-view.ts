/** The elements of a list of results, which draw only what differs from the model drawn before. */
import { t } from "../../i18n/translate";
import { type PaneModel, stateOf } from "../../pane/model";
import { type PaneState } from "../../pane/state";
import { densityFor, isWide, type Room, roomFor, rowsInSight } from "../../snippet/excerpt";
import { ActiveOption, delayedFlag, LiveRegion } from "./elements";
import { keepInPlace, RowList, type RowListParts } from "./row-list";

/** Attributes of an element that scrolls, so that it can be reached and scrolled by keys. */
export function scrollable(name: string): Record<string, string> {
  return { tabindex: "0", role: "group", "aria-label": name };
}

let lastListId = 0; // ids must be unique in the document, which may have several lists

export class ListView {
  readonly listEl: HTMLElement;
  readonly setStale: (isSet: boolean) => void;
  readonly rows: RowList;
  readonly active: ActiveOption;
  readonly live: LiveRegion;
  /** The room for an excerpt, as of the last measurement. */
  room: Room = roomFor(0, "normal");
  /** How many rows are seen without scrolling, as of the last measurement. */
  rowsInSight = rowsInSight(0, "normal");
  #shown: PaneModel | null = null;
  #scrollWanted = 0; // of the next answer
  #scrolledTo = 0;

  /**
   * A list in `bodyEl`, which scrolls and is in `el`, which says the density to the style sheet. `input` is the box that
   * keeps the keyboard focus; without one the list itself can be focused.
   */
  constructor(
    readonly el: HTMLElement,
    readonly bodyEl: HTMLElement,
    readonly input: HTMLInputElement | null,
    parts: RowListParts,
  ) {
    el.addClass("quarry-results");
    const listEl = bodyEl.createDiv({ cls: "quarry-list search-result-container" });
    lastListId += 1;
    listEl.id = `quarry-list-${lastListId}`;
    listEl.setAttrs({ role: "listbox", "aria-multiselectable": "true", "aria-label": t("pane.results"), tabindex: input ? null : "0" });
    input?.setAttrs({ "aria-controls": listEl.id, "aria-expanded": "false" });
    this.listEl = listEl;
    this.rows = new RowList(listEl.createDiv({ cls: "search-results-children", attr: { role: "presentation" } }), parts);
    this.setStale = delayedFlag(parts.clock, (isStale) => { listEl.toggleClass("is-stale", isStale); });
    this.active = new ActiveOption(input, listEl);
    this.live = new LiveRegion(el.createDiv({ cls: "quarry-live", attr: { "aria-live": "polite" } }));
    bodyEl.addEventListener("scroll", () => { this.#scrolledTo = bodyEl.scrollTop; }, { passive: true });
    for (const touch of ["wheel", "pointerdown"]) bodyEl.addEventListener(touch, () => { this.#scrollWanted = 0; }, { passive: true });
  }

  show(model: PaneModel): void {
    const before = this.#shown;
    this.#shown = model;
    if (model.density !== before?.density) this.measure();
    this.setStale(isStale(stateOf(model)));
    this.#showRows(model, before);
  }

  /** Scrolls so far once the rows of the next answer are drawn. */
  scrollTo(top: number): void {
    this.#scrollWanted = top;
  }

  /** Measures the list and draws the rows for its width. */
  measure(): void {
    const { listEl, bodyEl, el } = this;
    const density = densityFor(this.#shown?.density ?? "normal", listEl.clientWidth);
    const room = roomFor(listEl.clientWidth, density);
    this.rowsInSight = rowsInSight(bodyEl.clientHeight, density);
    el.dataset["density"] = density;
    el.toggleClass("is-tight", density === "compact" || density === "narrow");
    el.toggleClass("is-wide", isWide(listEl.clientWidth));
    if (room.characters === this.room.characters && room.asked === this.room.asked) return;
    this.room = room;
    if (this.#shown) this.rows.show(this.#shown.rows, Date.now(), room);
  }

  #showRows(model: PaneModel, before: PaneModel | null): void {
    const { rows, active, bodyEl, listEl } = this;
    const { search } = model;
    const isAnswer = search !== before?.search && search.kind === "results";
    const isNew = isAnswer && !search.isRefresh;
    if (model.rows !== before?.rows) {
      const pointed = listEl.querySelector(".quarry-option:hover, .quarry-more:hover") ?? active.el;
      const held = !isNew && model.selection.isPinned ? pointed : null;
      keepInPlace(bodyEl, held, () => { rows.show(model.rows, Date.now(), this.room); });
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
