/** How far the index is, while it is filled and the list is empty: a bar with its count. */
import { type Freshness } from "../pane/state";
import { t } from "../i18n/translate";
import { freshnessWords } from "../i18n/freshness";
import { setText } from "./passage-block";

export class ProgressBlock {
  private readonly barEl: HTMLProgressElement;
  private readonly textEl: HTMLElement;

  constructor(private readonly el: HTMLElement) {
    this.textEl = el.createDiv({ cls: "quarry-progress-text" });
    this.barEl = el.createEl("progress", { cls: "quarry-progress-bar" });
    el.createDiv({ cls: "quarry-progress-text", text: t("freshness.indexingHint") });
  }

  /** Shows the progress of `freshness`; null when rows are shown instead. */
  show(freshness: Freshness | null): void {
    const isShown = freshness?.kind === "indexing";
    this.el.toggleClass("is-hidden", !isShown);
    if (!isShown) return;
    const { text } = freshnessWords(freshness);
    setText(this.textEl, text);
    this.barEl.max = Math.max(1, freshness.total);
    this.barEl.value = freshness.done;
    this.barEl.setAttr("aria-label", text);
  }
}
