/** Builds the elements and widgets of the search pane. No behaviour. */
import { SearchComponent, setIcon, setTooltip } from "obsidian";
import { type Clock } from "../clock";
import { type Mode, type SortOrder } from "../protocol/messages";
import { type PaneActionId } from "../pane/commands";
import { actionOf } from "../i18n/actions";
import { ChipRow } from "./chip-row";
import { type CompletionHandlers, CompletionList } from "./completion-list";
import { IndexStatusLine } from "./index-status";
import { type ListDom, buildList, scrollable } from "./list-dom";
import { ModeSwitch } from "./mode-switch";
import { Panel, type PanelHandlers } from "./panel";
import { ProgressBlock } from "./progress-block";
import { type RecentHandlers } from "./recent-view";
import { SortButton } from "./sort-button";
import { StatusLine } from "./status-line";
import { t } from "../i18n/translate";

export interface PaneDom {
  readonly el: HTMLElement;
  readonly search: SearchComponent;
  readonly input: HTMLInputElement;
  readonly modes: ModeSwitch;
  readonly completions: CompletionList;
  readonly chips: ChipRow;
  readonly sort: SortButton;
  /** The line above the rows. */
  readonly line: StatusLine;
  readonly panel: Panel;
  readonly progress: ProgressBlock;
  /** The list; the panel and the progress scroll with it. */
  readonly list: ListDom;
  readonly status: IndexStatusLine;
}

export interface PaneHandlers extends PanelHandlers, RecentHandlers {
  readonly clock: Clock;
  readonly chooseMode: (mode: Mode) => void;
  readonly chooseSort: (order: SortOrder) => void;
  /** A chip was taken out of the query. */
  readonly takeChip: (rest: string) => void;
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
  tool(tools, "keyboard", "show-keys", handlers.act);
  const filters = head.createDiv({ cls: "quarry-filters" });
  const chips = new ChipRow(filters.createDiv({ cls: "quarry-chips" }), { take: handlers.takeChip, leave: () => { input.focus(); } });
  tool(filters, "plus", "add-filter", handlers.act);
  const sort = new SortButton(filters, handlers.chooseSort);
  const line = new StatusLine(head.createDiv({ cls: "quarry-line" }), handlers.act);
  const bodyEl = el.createDiv({ cls: "quarry-body", attr: scrollable(t("pane.results")) });
  const panel = new Panel(bodyEl.createDiv({ cls: "quarry-panel is-hidden" }), handlers);
  const progress = new ProgressBlock(bodyEl.createDiv({ cls: "quarry-progress is-hidden" }));
  const list = buildList(el, bodyEl, input, handlers);
  completionsEl.id = `quarry-completions-${list.listEl.id}`;
  const status = new IndexStatusLine(el.createDiv({ cls: "quarry-foot" }), handlers.act);
  input.setAttrs({
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-haspopup": "listbox",
    "aria-label": t("pane.placeholder"),
  });
  const completions = new CompletionList(completionsEl, input, {
    names: handlers.names,
    accepted: handlers.completed,
    deactivated: () => { list.active.updateAria(); },
  });
  return { el, search, input, completions, chips, sort, modes, line, panel, progress, list, status };
}

function tool(parent: HTMLElement, icon: string, id: PaneActionId, act: (action: PaneActionId) => void): void {
  const button = parent.createEl("button", { cls: "clickable-icon quarry-tool", attr: { "data-action": id } });
  setIcon(button, icon);
  setTooltip(button, actionOf(id).label);
  button.addEventListener("click", () => { act(id); });
}
