/** The element of a query that was searched for or saved: its text, a star that saves it, a cross that forgets it. */
import { setIcon, setTooltip } from "obsidian";
import { type RecentRow, type Row } from "../pane/rows";
import { t } from "../i18n/translate";
import { initOption } from "./active-option";
import { setText } from "./passage-block";
import { type RowView } from "./row-view";

export interface RecentHandlers {
  readonly toggleSaved: (query: string) => void;
  readonly forget: (query: string) => void;
}

export class RecentView implements RowView {
  readonly el: HTMLElement;
  private readonly textEl: HTMLElement;
  private readonly starEl: HTMLElement;
  private readonly crossEl: HTMLElement;
  private row: RecentRow | null = null;

  constructor(handlers: RecentHandlers) {
    this.el = createDiv({ cls: "tree-item-self is-clickable quarry-option quarry-recent" });
    initOption(this.el);
    this.textEl = this.el.createSpan({ cls: "quarry-recent-text", attr: { dir: "auto" } });
    this.starEl = this.icon("star", handlers.toggleSaved);
    this.crossEl = this.icon("x", handlers.forget);
    setTooltip(this.crossEl, t("pane.forget"));
  }

  show(row: Row): void {
    if (row.kind !== "recent") return;
    this.row = row;
    setText(this.textEl, row.query);
    this.el.setAttr("aria-label", row.query);
    setTooltip(this.starEl, row.isSaved ? t("pane.unsave") : t("pane.save"));
    this.starEl.toggleClass("is-active", row.isSaved);
    this.crossEl.toggleClass("is-hidden", row.isSaved);
  }

  get options(): readonly HTMLElement[] {
    return [this.el];
  }

  /** A control for the mouse: a listbox contains options only, so it is hidden from screen readers, who have commands. */
  private icon(name: string, run: (query: string) => void): HTMLElement {
    const el = this.el.createSpan({ cls: "clickable-icon quarry-recent-icon", attr: { "aria-hidden": "true", "data-icon": name } });
    setIcon(el, name);
    el.addEventListener("click", (event) => {
      event.stopPropagation();
      if (this.row) run(this.row.query);
    });
    return el;
  }
}
