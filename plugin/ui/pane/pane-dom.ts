/** Builds the elements of the search pane and draws what is around its rows. */
import { Menu, SearchComponent, setIcon, setTooltip } from "obsidian";
import { type Clock } from "../../clock";
import { actionOf } from "../../i18n/actions";
import { announcement, shownPanel } from "../../i18n/panels";
import { t } from "../../i18n/translate";
import { type PaneActionId } from "../../pane/commands";
import { type PaneModel, stateOf } from "../../pane/model";
import { freshness } from "../../pane/state";
import { type Mode, MODES, type SortOrder, SORTS } from "../../protocol/messages";
import { type Answer, answerOf } from "../../search/answer";
import { type CompletionHandlers, CompletionList } from "../completion/completion-list";
import { buildList, type ListDom, scrollable } from "../list/list-view";
import { type Surroundings } from "../list/result-list";
import { type RecentHandlers } from "../list/row-views";
import { ChipRow, chipsOf } from "./chip-row";
import { Panel, type PanelHandlers } from "./panel";
import { IndexStatusLine, ProgressBlock, StatusLine } from "./status";

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

/** A search box as a combobox, with an element for its suggestions. */
export function buildBox(parent: HTMLElement): Pick<PaneDom, "search" | "input"> & { readonly completionsEl: HTMLElement } {
  const box = parent.createDiv({ cls: "quarry-box" });
  const search = new SearchComponent(box).setPlaceholder(t("pane.placeholder"));
  const input = search.inputEl;
  input.setAttrs({ role: "combobox", "aria-autocomplete": "list", "aria-haspopup": "listbox", "aria-label": t("pane.placeholder") });
  return { search, input, completionsEl: box.createDiv({ cls: "quarry-completions is-hidden" }) };
}

export function buildPane(el: HTMLElement, handlers: PaneHandlers): PaneDom {
  el.empty();
  el.addClass("quarry-pane");
  const head = el.createDiv({ cls: "quarry-head" });
  const { search, input, completionsEl } = buildBox(head);
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

export class PaneView implements Surroundings {
  constructor(
    private readonly dom: PaneDom,
    private readonly sort: () => SortOrder,
  ) {}

  show(model: PaneModel): void {
    const { dom } = this;
    const state = stateOf(model);
    const fresh = freshness(model.engine, model.status);
    dom.modes.show(model.mode);
    dom.line.show(model);
    this.#showFilters(state.kind === "bad-query" ? null : answerOf(model.search));
    dom.panel.show(shownPanel(model));
    dom.progress.show(answerOf(model.search) === null || state.kind === "no-results" ? fresh : null);
    dom.status.show(fresh);
    dom.el.dataset["state"] = state.kind;
    dom.list.listEl.setAttr("aria-label", answerOf(model.search) ? t("pane.results") : t("pane.completions"));
    if (state.kind !== "searching") dom.list.live.announceState(announcement(state));
  }

  /** While an answer is pending, the chips of the one before stay. */
  #showFilters(answer: Answer | null): void {
    const { chips, sort } = this.dom;
    chips.show(answer ? chipsOf(answer.query, answer.clauses) : []);
    sort.show(this.sort(), answer?.sort ?? this.sort());
  }

  rowsShown(): void {
    this.dom.completions.restoreAria();
  }
}

export class ModeSwitch {
  readonly #buttons: readonly (readonly [Mode, HTMLElement])[];

  constructor(parent: HTMLElement, select: (mode: Mode) => void) {
    const group = parent.createDiv({ cls: "quarry-modes", attr: { role: "group", "aria-label": t("pane.modes") } });
    this.#buttons = MODES.map((mode) => {
      const button = group.createEl("button", { cls: "quarry-mode", text: t(`mode.${mode}`), attr: { "data-mode": mode } });
      setTooltip(button, t(`modeTip.${mode}`));
      button.addEventListener("click", () => {
        select(mode);
      });
      return [mode, button] as const;
    });
  }

  show(mode: Mode): void {
    for (const [own, button] of this.#buttons) {
      button.setAttr("aria-pressed", String(own === mode));
      button.toggleClass("is-active", own === mode);
    }
  }
}

export class SortButton {
  readonly #el: HTMLElement;
  readonly #labelEl: HTMLElement;
  #chosen: SortOrder = "relevance";

  constructor(parent: HTMLElement, choose: (order: SortOrder) => void) {
    this.#el = parent.createEl("button", { cls: "quarry-sort", attr: { "aria-haspopup": "menu" } });
    this.#labelEl = this.#el.createSpan();
    setIcon(this.#el.createSpan({ cls: "quarry-sort-icon" }), "chevron-down");
    this.#el.addEventListener("click", () => {
      const menu = new Menu();
      for (const order of SORTS) {
        menu.addItem((item) => item.setTitle(t(`sort.${order}`)).setChecked(order === this.#chosen).onClick(() => { choose(order); }));
      }
      const { left, bottom } = this.#el.getBoundingClientRect();
      menu.showAtPosition({ x: left, y: bottom }, this.#el.doc);
    });
  }

  /** `actual`: the order of the hits, which is by relevance whatever was chosen where no note is worth sorting. */
  show(chosen: SortOrder, actual: SortOrder): void {
    this.#chosen = chosen;
    this.#labelEl.setText(t(`sort.${actual}`));
    setTooltip(this.#el, t("sort.tip", { order: t(`sort.${actual}`) }));
  }
}
