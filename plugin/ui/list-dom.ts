/** Builds the elements of a list of results, wherever it is shown. No behaviour. */
import { t } from "../i18n/translate";
import { ActiveOption } from "./active-option";
import { DelayedFlag } from "./delayed-flag";
import { LiveRegion } from "./live-region";
import { RowList, type RowListParts } from "./row-list";

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
  return { el, bodyEl, listEl, rows, stale, active: new ActiveOption(input, listEl), live };
}
