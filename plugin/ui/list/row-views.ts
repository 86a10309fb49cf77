/** The elements of all rows but hits: queries, dividers, the extract, and rows that lead to more. Note text is inserted as text nodes only. */
import { Platform, setIcon, setTooltip } from "obsidian";
import { actionOf, combinationWords } from "../../i18n/actions";
import { extractLabel, extractSource, moreWords, sectionWords } from "../../i18n/rows";
import { t } from "../../i18n/translate";
import { type ActionId } from "../../pane/commands";
import { type Row } from "../../pane/rows";
import { type Room } from "../../snippet/excerpt";
import { plainText } from "../../snippet/plain";
import { initOption, setText } from "./elements";

export interface RowView {
  /** Inserted by the list at the row's position. */
  readonly el: HTMLElement;
  /** Draws a row of the kind that the view was made for. */
  show(row: Row, nowMs: number, room: Room): void;
  /** The elements that can be selected, from top to bottom: the row itself, then the rows that belong to it. */
  readonly options: readonly HTMLElement[];
  updateAge?(nowMs: number): void;
  /** Whether `target` is in the part that unfolds the row. */
  isUnfolder?(target: Node): boolean;
  /** Whether `target` is in the part that undoes the row's dismissal. */
  isUndo?(target: Node): boolean;
}

export function createView(): RowView {
  const el = initOption(createDiv({ cls: "quarry-option quarry-create" }));
  setIcon(el.createSpan({ cls: "quarry-create-icon" }), "plus");
  const textEl = el.createSpan({ cls: "quarry-create-text", attr: { dir: "auto" } });
  el.createEl("kbd", { text: combinationWords("Shift+Enter", Platform.isMacOS), attr: { "aria-hidden": "true" } });
  const show = (row: Row): void => { if (row.kind === "create") setText(textEl, t("write.create", { name: row.name })); };
  return { el, options: [el], show };
}

export function dividerView(act?: (action: ActionId) => void): RowView {
  const el = createDiv({ cls: "quarry-divider", attr: { role: "presentation" } });
  const textEl = el.createSpan({ cls: "quarry-divider-text" });
  const { id, label } = actionOf("clear-history");
  const actionEl = el.createSpan({ cls: "quarry-divider-action is-hidden", text: label, attr: { "data-action": id, "aria-hidden": "true" } });
  actionEl.addEventListener("click", () => act?.(id));
  const show = (row: Row): void => {
    if (row.kind !== "divider") return;
    setText(textEl, sectionWords(row));
    el.dataset["section"] = row.section;
    actionEl.toggleClass("is-hidden", row.section !== "recent");
  };
  return { el, options: [], show };
}

export function moreView(): RowView {
  const el = initOption(createDiv({ cls: "quarry-option quarry-show-more" }));
  return { el, options: [el], show: (row) => { if (row.kind === "more") setText(el, moreWords(row)); } };
}

export function exampleView(): RowView {
  const el = initOption(createDiv({ cls: "tree-item-self is-clickable quarry-option quarry-recent quarry-example" }));
  setIcon(el.createSpan({ cls: "quarry-create-icon" }), "message-circle-question-mark");
  const textEl = el.createSpan({ cls: "quarry-recent-text", attr: { dir: "auto" } });
  const show = (row: Row): void => {
    if (row.kind !== "example") return;
    setText(textEl, row.query);
    el.setAttr("aria-label", row.query);
  };
  return { el, options: [el], show };
}

export function extractView(): RowView {
  const el = initOption(createDiv({ cls: "quarry-option quarry-extract", attr: { draggable: "true" } }));
  const textEl = el.createDiv({ cls: "quarry-extract-text", attr: { dir: "auto" } });
  const sourceEl = el.createDiv({ cls: "quarry-extract-source", attr: { dir: "auto" } });
  const show = (row: Row): void => {
    if (row.kind !== "extract") return;
    const { text } = plainText(row.passage.snippet, []);
    setText(textEl, text);
    setText(sourceEl, extractSource(row));
    el.setAttr("aria-label", extractLabel(row, text));
  };
  return { el, options: [el], show };
}

export interface RecentHandlers {
  toggleSaved(query: string): void;
  forget(query: string): void;
}

export function recentView(handlers?: RecentHandlers): RowView {
  let query = "";
  const el = initOption(createDiv({ cls: "tree-item-self is-clickable quarry-option quarry-recent" }));
  const textEl = el.createSpan({ cls: "quarry-recent-text", attr: { dir: "auto" } });
  // Controls for the mouse: a listbox contains options only, so they are hidden from screen readers, who have commands.
  const icon = (name: string, run: () => void): HTMLElement => {
    const iconEl = el.createSpan({ cls: "clickable-icon quarry-recent-icon", attr: { "aria-hidden": "true", "data-icon": name } });
    setIcon(iconEl, name);
    iconEl.addEventListener("click", (event) => {
      event.stopPropagation();
      run();
    });
    return iconEl;
  };
  const starEl = icon("star", () => handlers?.toggleSaved(query));
  const crossEl = icon("x", () => handlers?.forget(query));
  setTooltip(crossEl, t("pane.forget"));
  const show = (row: Row): void => {
    if (row.kind !== "recent") return;
    ({ query } = row);
    setText(textEl, query);
    el.setAttr("aria-label", query);
    setTooltip(starEl, row.isSaved ? t("pane.unsave") : t("pane.save"));
    starEl.toggleClass("is-active", row.isSaved);
    crossEl.toggleClass("is-hidden", row.isSaved);
  };
  return { el, options: [el], show };
}
