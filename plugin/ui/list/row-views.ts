/** The elements of all rows but hits: queries, dividers, the extract, and rows that lead to more. Note text is inserted as text nodes only. */
import { Platform, setIcon, setTooltip } from "obsidian";
import { actionOf, combinationWords } from "../../i18n/actions";
import { extractLabel, extractSource, moreWords, sectionWords } from "../../i18n/rows";
import { t } from "../../i18n/translate";
import { type ActionId } from "../../pane/commands";
import { type ExtractRow, type RecentRow, type Row } from "../../pane/rows";
import { type Room } from "../../snippet/excerpt";
import { plainText } from "../../snippet/plain";
import { initOption } from "./elements";
import { setText } from "./passage-block";

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

export class CreateView implements RowView {
  readonly el: HTMLElement;
  readonly #textEl: HTMLElement;

  constructor() {
    this.el = createDiv({ cls: "quarry-option quarry-create" });
    initOption(this.el);
    setIcon(this.el.createSpan({ cls: "quarry-create-icon" }), "plus");
    this.#textEl = this.el.createSpan({ cls: "quarry-create-text", attr: { dir: "auto" } });
    this.el.createEl("kbd", { text: combinationWords("Shift+Enter", Platform.isMacOS), attr: { "aria-hidden": "true" } });
  }

  show(row: Row): void {
    if (row.kind !== "create") return;
    setText(this.#textEl, t("write.create", { name: row.name }));
  }

  get options(): readonly HTMLElement[] {
    return [this.el];
  }
}

export class DividerView implements RowView {
  readonly el: HTMLElement;
  readonly options: readonly HTMLElement[] = [];
  readonly #textEl: HTMLElement;
  readonly #actionEl: HTMLElement;

  constructor(act?: (action: ActionId) => void) {
    this.el = createDiv({ cls: "quarry-divider", attr: { role: "presentation" } });
    this.#textEl = this.el.createSpan({ cls: "quarry-divider-text" });
    const { id, label } = actionOf("clear-history");
    this.#actionEl = this.el.createSpan({ cls: "quarry-divider-action is-hidden", text: label, attr: { "data-action": id, "aria-hidden": "true" } });
    this.#actionEl.addEventListener("click", () => act?.(id));
  }

  show(row: Row): void {
    if (row.kind !== "divider") return;
    setText(this.#textEl, sectionWords(row));
    this.el.dataset["section"] = row.section;
    this.#actionEl.toggleClass("is-hidden", row.section !== "recent");
  }
}

export class MoreView implements RowView {
  readonly el: HTMLElement;

  constructor() {
    this.el = createDiv({ cls: "quarry-option quarry-show-more" });
    initOption(this.el);
  }

  show(row: Row): void {
    if (row.kind === "more") setText(this.el, moreWords(row));
  }

  get options(): readonly HTMLElement[] {
    return [this.el];
  }
}

export class ExampleView implements RowView {
  readonly el: HTMLElement;
  readonly #textEl: HTMLElement;

  constructor() {
    this.el = createDiv({ cls: "tree-item-self is-clickable quarry-option quarry-recent quarry-example" });
    initOption(this.el);
    setIcon(this.el.createSpan({ cls: "quarry-create-icon" }), "message-circle-question-mark");
    this.#textEl = this.el.createSpan({ cls: "quarry-recent-text", attr: { dir: "auto" } });
  }

  show(row: Row): void {
    if (row.kind !== "example") return;
    setText(this.#textEl, row.query);
    this.el.setAttr("aria-label", row.query);
  }

  get options(): readonly HTMLElement[] {
    return [this.el];
  }
}

export class ExtractView implements RowView {
  readonly el: HTMLElement;
  readonly #textEl: HTMLElement;
  readonly #sourceEl: HTMLElement;

  constructor() {
    this.el = createDiv({ cls: "quarry-option quarry-extract", attr: { draggable: "true" } });
    initOption(this.el);
    this.#textEl = this.el.createDiv({ cls: "quarry-extract-text", attr: { dir: "auto" } });
    this.#sourceEl = this.el.createDiv({ cls: "quarry-extract-source", attr: { dir: "auto" } });
  }

  show(row: Row): void {
    if (row.kind === "extract") this.#showSentence(row);
  }

  get options(): readonly HTMLElement[] {
    return [this.el];
  }

  #showSentence(row: ExtractRow): void {
    const { text } = plainText(row.passage.snippet, []);
    setText(this.#textEl, text);
    setText(this.#sourceEl, extractSource(row));
    this.el.setAttr("aria-label", extractLabel(row, text));
  }
}

export interface RecentHandlers {
  readonly toggleSaved: (query: string) => void;
  readonly forget: (query: string) => void;
}

export class RecentView implements RowView {
  readonly el: HTMLElement;
  readonly #textEl: HTMLElement;
  readonly #starEl: HTMLElement;
  readonly #crossEl: HTMLElement;
  #row: RecentRow | null = null;

  constructor(handlers: Partial<RecentHandlers>) {
    this.el = createDiv({ cls: "tree-item-self is-clickable quarry-option quarry-recent" });
    initOption(this.el);
    this.#textEl = this.el.createSpan({ cls: "quarry-recent-text", attr: { dir: "auto" } });
    this.#starEl = this.#icon("star", handlers.toggleSaved);
    this.#crossEl = this.#icon("x", handlers.forget);
    setTooltip(this.#crossEl, t("pane.forget"));
  }

  show(row: Row): void {
    if (row.kind !== "recent") return;
    this.#row = row;
    setText(this.#textEl, row.query);
    this.el.setAttr("aria-label", row.query);
    setTooltip(this.#starEl, row.isSaved ? t("pane.unsave") : t("pane.save"));
    this.#starEl.toggleClass("is-active", row.isSaved);
    this.#crossEl.toggleClass("is-hidden", row.isSaved);
  }

  get options(): readonly HTMLElement[] {
    return [this.el];
  }

  /** A control for the mouse: a listbox contains options only, so it is hidden from screen readers, who have commands. */
  #icon(name: string, run: ((query: string) => void) | undefined): HTMLElement {
    const el = this.el.createSpan({ cls: "clickable-icon quarry-recent-icon", attr: { "aria-hidden": "true", "data-icon": name } });
    setIcon(el, name);
    el.addEventListener("click", (event) => {
      event.stopPropagation();
      if (this.#row) run?.(this.#row.query);
    });
    return el;
  }
}
