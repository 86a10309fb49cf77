/** The lines that state how things are: above the rows, in the footer and status bar, and during the first indexing. */
import { actionOf } from "../../i18n/actions";
import { freshnessWords } from "../../i18n/inspection";
import { statusWords } from "../../i18n/panels";
import { t } from "../../i18n/translate";
import { type ActionId } from "../../pane/commands";
import { type PaneModel } from "../../pane/model";
import { type Freshness } from "../../pane/state";
import { isToDraw, setText } from "../list/elements";

/** Colours of the dot; they only repeat the text, so that nothing depends on seeing colours. */
const TONES: Readonly<Record<Freshness["kind"], string>> = {
  off: "muted",
  starting: "busy",
  preparing: "busy",
  trouble: "bad",
  indexing: "busy",
  "loading-model": "busy",
  updating: "busy",
  paused: "muted",
  "index-failed": "bad",
  backfill: "good",
  live: "good",
};

export class IndexStatusLine {
  readonly #textEl: HTMLElement;
  readonly #actionEl: HTMLElement | null;
  #action: ActionId | null = null;

  /** Without `act` there is no button, as in the status bar. */
  constructor(
    private readonly el: HTMLElement,
    act: ((action: ActionId) => void) | null = null,
  ) {
    el.addClass("quarry-status");
    if (act) el.setAttr("role", "status");
    el.createSpan({ cls: "quarry-dot", attr: { "aria-hidden": "true" } });
    this.#textEl = el.createEl(act ? "button" : "span", { cls: "quarry-status-text" });
    if (act) {
      this.#textEl.title = actionOf("open-inspector").label; // no tooltip of Obsidian's: it would be the name, in place of the state
      this.#textEl.addEventListener("click", () => { act("open-inspector"); });
    }
    this.#actionEl = act && el.createEl("button", { cls: "quarry-status-action is-hidden" });
    this.#actionEl?.addEventListener("click", () => {
      if (this.#action) act?.(this.#action);
    });
  }

  show(freshness: Freshness): void {
    const { text, action } = freshnessWords(freshness);
    // A change of state is told, and not every count on the way.
    if (this.#actionEl) this.el.setAttr("aria-live", this.el.dataset["state"] === freshness.kind ? "off" : "polite");
    this.el.dataset["tone"] = TONES[freshness.kind];
    this.el.dataset["state"] = freshness.kind;
    setText(this.#textEl, text);
    if (this.#actionEl && this.#action !== (action?.id ?? null)) {
      this.#actionEl.setText(action?.label ?? "");
      this.#actionEl.toggleClass("is-hidden", action === null);
    }
    this.#action = action?.id ?? null;
  }
}

/** Shows in `el` what the line above the rows says. */
export function showStatus(el: HTMLElement, model: PaneModel, act: (action: ActionId) => void): void {
  const words = statusWords(model);
  if (!isToDraw(el, words)) return;
  const { tone, text, tip, action } = words;
  el.empty();
  el.dataset["tone"] = tone;
  const line = el.createDiv({ cls: "quarry-remark-box" }).createDiv({ cls: "quarry-remark" });
  line.createSpan({ cls: tone === "count" ? "quarry-count" : "quarry-remark-text", text, attr: { dir: "auto" } });
  line.title = tone === "count" ? tip : [text, tip].join("\n");
  line.setAttr("aria-description", tip === "" ? null : tip);
  if (!action) return;
  const button = el.createEl("button", { cls: "quarry-link", text: action.label, attr: { "data-action": action.id } });
  button.addEventListener("click", () => { act(action.id); });
}

export class ProgressBlock {
  readonly #barEl: HTMLProgressElement;
  readonly #textEl: HTMLElement;

  constructor(private readonly el: HTMLElement) {
    this.#textEl = el.createDiv({ cls: "quarry-progress-text" });
    this.#barEl = el.createEl("progress", { cls: "quarry-progress-bar" });
    el.createDiv({ cls: "quarry-progress-text", text: t("freshness.indexingHint") });
  }

  /** Shows the progress of `freshness`; null when rows are shown instead. */
  show(freshness: Freshness | null): void {
    const isShown = freshness?.kind === "indexing";
    this.el.toggleClass("is-hidden", !isShown);
    if (!isShown) return;
    const { text } = freshnessWords(freshness);
    setText(this.#textEl, text);
    this.#barEl.max = Math.max(1, freshness.total);
    this.#barEl.value = freshness.done;
    this.#barEl.setAttr("aria-label", text);
  }
}
