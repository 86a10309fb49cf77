/** Builds the elements of the search pane and draws what is around its rows. */
import { Menu, SearchComponent, setTooltip } from "obsidian";
import { type Clock } from "../../clock";
import { actionOf } from "../../i18n/actions";
import { announcement, shownPanel } from "../../i18n/panels";
import { t } from "../../i18n/translate";
import { type PaneActionId } from "../../pane/commands";
import { type PaneModel, stateOf } from "../../pane/model";
import { type Freshness, freshness } from "../../pane/state";
import { type Mode, MODES, type SortOrder, SORTS } from "../../protocol/messages";
import { answerOf } from "../../search/answer";
import { type CompletionHandlers, type CompletionList, completionList } from "../completion/completion-list";
import { addMenuItem, iconButton, showMenuBelow } from "../list/elements";
import { ListView, scrollable } from "../list/list-view";
import { type Surroundings } from "../list/result-list";
import { type RecentHandlers } from "../list/row-views";
import { type Chip, chipRow, chipsOf } from "./chip-row";
import { type PanelHandlers, showPanel } from "./panel";
import { indexStatusLine, progressBlock, statusLine } from "./status";

export interface PaneDom {
  readonly el: HTMLElement;
  readonly search: SearchComponent;
  readonly input: HTMLInputElement;
  readonly showMode: (mode: Mode) => void;
  readonly completions: CompletionList;
  readonly showChips: (chips: readonly Chip[]) => void;
  readonly showSort: (chosen: SortOrder, actual: SortOrder) => void;
  /** Shows at the button of the menu whether tiers are searched. */
  readonly showTiered: () => void;
  /** Draws the line above the rows. */
  readonly showStatus: (model: PaneModel) => void;
  readonly panelEl: HTMLElement;
  readonly showProgress: (freshness: Freshness | null) => void;
  /** The list; the panel and the progress scroll with it. */
  readonly list: ListView;
  readonly footEl: HTMLElement;
  readonly showFreshness: (freshness: Freshness) => void;
  /** Draws what is around the rows. */
  readonly around: Surroundings;
}

/** A tier that can be searched beside the vault. */
export interface TierChoice {
  readonly name: string;
  readonly isChosen: boolean;
  readonly toggle: () => void;
}

export interface PaneHandlers extends PanelHandlers {
  readonly queries: RecentHandlers;
  readonly clock: Clock;
  readonly chooseMode: (mode: Mode) => void;
  /** The order that was chosen. */
  readonly sort: () => SortOrder;
  readonly chooseSort: (order: SortOrder) => void;
  readonly tiers: () => Promise<readonly TierChoice[]>;
  /** Some of them are searched. */
  readonly isTiered: () => boolean;
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

/** The suggestions of a box over its list. */
export function completionsFor(el: HTMLElement, input: HTMLInputElement, list: ListView, names: CompletionHandlers["names"], accepted: () => void): CompletionList {
  el.id = `quarry-completions-${list.listEl.id}`;
  return completionList(el, input, { names, accepted, deactivated: () => { list.active.updateAria(); } });
}

export function buildPane(el: HTMLElement, handlers: PaneHandlers): PaneDom {
  el.empty();
  el.addClass("quarry-pane");
  const head = el.createDiv({ cls: "quarry-head" });
  const { search, input, completionsEl } = buildBox(head);
  const bar = head.createDiv({ cls: "quarry-bar" });
  const showMode = modeSwitch(bar, handlers.chooseMode);
  const tools = bar.createDiv({ cls: "quarry-tools" });
  tool(tools, "plus", "add-filter", handlers.act);
  const showSort = sortButton(tools, handlers.chooseSort);
  const more = iconButton(tools, "ellipsis", t("pane.more"), () => void handlers.tiers().then((tiers) => { showMenuBelow(moreMenu(handlers.act, tiers), more); }), { cls: "clickable-icon quarry-tool", attr: { "data-action": "more", "aria-haspopup": "menu" } });
  const below = head.createDiv({ cls: "quarry-below" });
  const showChips = chipRow(below.createDiv({ cls: "quarry-chips" }), { take: handlers.takeChip, leave: () => { input.focus(); } });
  const showStatus = statusLine(below, handlers.clock, handlers.act);
  const bodyEl = el.createDiv({ cls: "quarry-body", attr: scrollable(t("pane.results")) });
  const panelEl = bodyEl.createDiv({ cls: "quarry-panel is-hidden" });
  const showProgress = progressBlock(bodyEl.createDiv({ cls: "quarry-progress is-hidden" }), handlers.act);
  const list = new ListView(el, bodyEl, input, handlers);
  const footEl = el.createDiv({ cls: "quarry-foot" });
  const showFreshness = indexStatusLine(footEl, handlers.act);
  const completions = completionsFor(completionsEl, input, list, handlers.names, handlers.completed);
  const showTiered = (): void => { more.toggleClass("is-active", handlers.isTiered()); };
  const dom = { el, search, input, completions, showChips, showSort, showTiered, showMode, showStatus, panelEl, showProgress, list, footEl, showFreshness };
  return { ...dom, around: paneAround(dom, handlers) };
}

function tool(parent: HTMLElement, icon: string, id: PaneActionId, act: (action: PaneActionId) => void): void {
  iconButton(parent, icon, actionOf(id).label, () => { act(id); }, { cls: "clickable-icon quarry-tool", attr: { "data-action": id } });
}

/** A menu of the actions that are used once in a while. */
function moreMenu(act: (action: PaneActionId) => void, tiers: readonly TierChoice[]): Menu {
  const menu = new Menu();
  for (const [icon, id] of [["rows-3", "change-density"], ["circle-question-mark", "show-operators"], ["keyboard", "show-keys"]] as const) {
    addMenuItem(menu, actionOf(id).label, icon, () => { act(id); });
  }
  for (const { name, isChosen, toggle } of tiers) {
    menu.addItem((item) => item.setTitle(t("tiers.also", { name })).setSection("quarry-tiers").setChecked(isChosen).onClick(toggle));
  }
  return menu;
}

function paneAround(dom: Omit<PaneDom, "around">, handlers: PaneHandlers): Surroundings {
  return {
    show: (model) => {
      const state = stateOf(model);
      const fresh = freshness(model.engine, model.status);
      const answer = answerOf(model.search);
      const read = state.kind === "bad-query" ? null : answer; // while an answer is pending, the chips of the one before stay
      dom.showMode(model.mode);
      dom.showStatus(model);
      dom.showChips(read ? chipsOf(read) : []);
      dom.showSort(handlers.sort(), read?.sort ?? handlers.sort());
      dom.showTiered();
      showPanel(dom.panelEl, shownPanel(model), handlers);
      const isBare = answer === null || state.kind === "no-results";
      dom.showProgress(isBare ? fresh : null);
      dom.showFreshness(fresh);
      dom.footEl.toggleClass("is-hidden", fresh.kind === "indexing" && (isBare || model.status?.indexedMs === null)); // it is said once
      dom.el.dataset["state"] = state.kind;
      dom.list.listEl.setAttr("aria-label", answer ? t("pane.results") : t("pane.completions"));
      if (state.kind !== "searching") dom.list.live.announceState(announcement(state));
    },
    rowsShown: () => { dom.completions.restoreAria(); },
  };
}

/** A button for each mode; the result shows which one is on. */
export function modeSwitch(parent: HTMLElement, select: (mode: Mode) => void): (mode: Mode) => void {
  const group = parent.createDiv({ cls: "quarry-modes", attr: { role: "group", "aria-label": t("pane.modes") } });
  const buttons = MODES.map((mode) => {
    const button = group.createEl("button", { cls: "quarry-mode", text: t(`mode.${mode}`), attr: { "data-mode": mode } });
    setTooltip(button, t(`modeTip.${mode}`));
    button.addEventListener("click", () => { select(mode); });
    return [mode, button] as const;
  });
  return (mode) => {
    for (const [own, button] of buttons) {
      button.setAttr("aria-pressed", String(own === mode));
      button.toggleClass("is-active", own === mode);
    }
  };
}

/**
 * A button with a menu of the orders. The result shows what was chosen, and the order that the hits have: it is by
 * relevance whatever was chosen where no note is worth sorting.
 */
function sortButton(parent: HTMLElement, choose: (order: SortOrder) => void): (chosen: SortOrder, actual: SortOrder) => void {
  let checked: SortOrder = "relevance";
  const el = iconButton(parent, "arrow-up-narrow-wide", "", () => {
    const menu = new Menu();
    for (const order of SORTS) {
      menu.addItem((item) => item.setTitle(t(`sort.${order}`)).setChecked(order === checked).onClick(() => { choose(order); }));
    }
    showMenuBelow(menu, el);
  }, { cls: "clickable-icon quarry-tool quarry-sort", attr: { "aria-haspopup": "menu" } });
  return (chosen, actual) => {
    checked = chosen;
    el.toggleClass("is-active", actual !== "relevance");
    setTooltip(el, t("sort.tip", { order: t(`sort.${actual}`) }));
  };
}
