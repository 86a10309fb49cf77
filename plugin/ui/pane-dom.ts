/** Builds the elements and widgets of the search pane. No behaviour. */
import { SearchComponent } from "obsidian";
import { type Clock } from "../clock";
import { type Mode } from "../protocol/messages";
import { ActiveOption } from "./active-option";
import { type CompletionHandlers, CompletionList } from "./completion-list";
import { DelayedFlag } from "./delayed-flag";
import { IndexStatusLine } from "./index-status";
import { LiveRegion } from "./live-region";
import { ModeSwitch } from "./mode-switch";
import { Panel, type PanelHandlers } from "./panel";
import { QueryAdjustments } from "./query-adjustments";
import { RowList } from "./row-list";
import { TEXT } from "../wording/names";

export interface PaneDom {
  readonly el: HTMLElement;
  readonly search: SearchComponent;
  readonly input: HTMLInputElement;
  readonly modes: ModeSwitch;
  readonly countEl: HTMLElement;
  readonly completions: CompletionList;
  readonly degradationEl: HTMLElement;
  readonly adjustments: QueryAdjustments;
  readonly panel: Panel;
  readonly listEl: HTMLElement;
  readonly stale: DelayedFlag;
  readonly rows: RowList;
  readonly active: ActiveOption;
  readonly status: IndexStatusLine;
  readonly live: LiveRegion;
}

let lastListId = 0; // ids must be unique in the document, which may have several panes

export interface PaneHandlers extends PanelHandlers {
  readonly clock: Clock;
  readonly chooseMode: (mode: Mode) => void;
  readonly names: CompletionHandlers["names"];
  readonly completed: () => void;
}

export function buildPane(el: HTMLElement, handlers: PaneHandlers): PaneDom {
  el.empty();
  el.addClass("quarry-pane");
  const head = el.createDiv({ cls: "quarry-head" });
  const box = head.createDiv({ cls: "quarry-box" });
  const search = new SearchComponent(box).setPlaceholder(TEXT.placeholder);
  const input = search.inputEl;
  const completionsEl = box.createDiv({ cls: "quarry-completions is-hidden" });
  const bar = head.createDiv({ cls: "quarry-bar" });
  const modes = new ModeSwitch(bar, handlers.chooseMode);
  const countEl = bar.createDiv({ cls: "quarry-count" });
  const degradationEl = head.createDiv({ cls: "quarry-degradation is-hidden" });
  const adjustments = new QueryAdjustments(head.createDiv({ cls: "quarry-adjustments is-hidden" }), handlers.act);
  const panelEl = el.createDiv({ cls: "quarry-panel is-hidden" });
  const listEl = el.createDiv({ cls: "quarry-list search-result-container" });
  lastListId += 1;
  listEl.id = `quarry-list-${lastListId}`;
  completionsEl.id = `quarry-completions-${lastListId}`;
  listEl.setAttrs({ role: "listbox", "aria-label": TEXT.listLabel });
  const rows = new RowList(listEl.createDiv({ cls: "search-results-children", attr: { role: "presentation" } }), handlers.clock);
  const stale = new DelayedFlag(handlers.clock, (isStale) => { listEl.toggleClass("is-stale", isStale); });
  const status = new IndexStatusLine(el.createDiv({ cls: "quarry-foot" }), handlers.act);
  const live = new LiveRegion(el.createDiv({ cls: "quarry-live", attr: { "aria-live": "polite" } }));
  input.setAttrs({
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-controls": listEl.id,
    "aria-expanded": "false",
    "aria-haspopup": "listbox",
    "aria-label": TEXT.placeholder,
  });
  const active = new ActiveOption(input, listEl.id);
  const completions = new CompletionList(completionsEl, input, {
    names: handlers.names,
    accepted: handlers.completed,
    deactivated: () => { active.updateAria(); },
  });
  const panel = new Panel(panelEl, handlers);
  return { el, search, input, completions, modes, countEl, degradationEl, adjustments, panel, listEl, stale, rows, active, status, live };
}
