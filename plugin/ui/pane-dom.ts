/** Builds the elements and widgets of the search pane. No behaviour. */
import { SearchComponent, setIcon, setTooltip } from "obsidian";
import { type Clock } from "../clock";
import { type Mode } from "../protocol/messages";
import { type PaneActionId } from "../pane/commands";
import { actionOf } from "../wording/actions";
import { ActiveOption } from "./active-option";
import { type CompletionHandlers, CompletionList } from "./completion-list";
import { DelayedFlag } from "./delayed-flag";
import { IndexStatusLine } from "./index-status";
import { LiveRegion } from "./live-region";
import { ModeSwitch } from "./mode-switch";
import { Panel, type PanelHandlers } from "./panel";
import { ProgressBlock } from "./progress-block";
import { type RecentHandlers } from "./recent-view";
import { RowList } from "./row-list";
import { StatusLine } from "./status-line";
import { t } from "../wording/translate";

export interface PaneDom {
  readonly el: HTMLElement;
  readonly search: SearchComponent;
  readonly input: HTMLInputElement;
  readonly modes: ModeSwitch;
  readonly completions: CompletionList;
  /** The line above the rows. */
  readonly line: StatusLine;
  readonly panel: Panel;
  readonly progress: ProgressBlock;
  /** What scrolls: the panel and the list. */
  readonly bodyEl: HTMLElement;
  readonly listEl: HTMLElement;
  readonly stale: DelayedFlag;
  readonly rows: RowList;
  readonly active: ActiveOption;
  readonly status: IndexStatusLine;
  readonly live: LiveRegion;
}

let lastListId = 0; // ids must be unique in the document, which may have several panes

export interface PaneHandlers extends PanelHandlers, RecentHandlers {
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
  const search = new SearchComponent(box).setPlaceholder(t("pane.placeholder"));
  const input = search.inputEl;
  const completionsEl = box.createDiv({ cls: "quarry-completions is-hidden" });
  const bar = head.createDiv({ cls: "quarry-bar" });
  const modes = new ModeSwitch(bar, handlers.chooseMode);
  const tools = bar.createDiv({ cls: "quarry-tools" });
  tool(tools, "rows-3", "change-density", handlers.act);
  tool(tools, "circle-question-mark", "show-operators", handlers.act);
  const line = new StatusLine(head.createDiv({ cls: "quarry-line" }), handlers.act);
  const bodyEl = el.createDiv({ cls: "quarry-body" });
  const panel = new Panel(bodyEl.createDiv({ cls: "quarry-panel is-hidden" }), handlers);
  const progress = new ProgressBlock(bodyEl.createDiv({ cls: "quarry-progress is-hidden" }));
  const listEl = bodyEl.createDiv({ cls: "quarry-list search-result-container" });
  lastListId += 1;
  listEl.id = `quarry-list-${lastListId}`;
  completionsEl.id = `quarry-completions-${lastListId}`;
  listEl.setAttrs({ role: "listbox", "aria-label": t("pane.results") });
  const rows = new RowList(listEl.createDiv({ cls: "search-results-children", attr: { role: "presentation" } }), handlers);
  const stale = new DelayedFlag(handlers.clock, (isStale) => { listEl.toggleClass("is-stale", isStale); });
  const status = new IndexStatusLine(el.createDiv({ cls: "quarry-foot" }), handlers.act);
  const live = new LiveRegion(el.createDiv({ cls: "quarry-live", attr: { "aria-live": "polite" } }));
  input.setAttrs({
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-controls": listEl.id,
    "aria-expanded": "false",
    "aria-haspopup": "listbox",
    "aria-label": t("pane.placeholder"),
  });
  const active = new ActiveOption(input, listEl.id);
  const completions = new CompletionList(completionsEl, input, {
    names: handlers.names,
    accepted: handlers.completed,
    deactivated: () => { active.updateAria(); },
  });
  return { el, search, input, completions, modes, line, panel, progress, bodyEl, listEl, stale, rows, active, status, live };
}

function tool(parent: HTMLElement, icon: string, id: PaneActionId, act: (action: PaneActionId) => void): void {
  const button = parent.createEl("button", { cls: "clickable-icon quarry-tool", attr: { "data-action": id } });
  setIcon(button, icon);
  setTooltip(button, actionOf(id).label);
  button.addEventListener("click", () => { act(id); });
}
