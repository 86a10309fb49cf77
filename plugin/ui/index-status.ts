/** The state of the index in one line, for the pane and the status bar: a dot, a text, and the action that fits it. */
import { type Freshness } from "../pane/state";
import { type ActionId } from "../pane/commands";
import { actionOf } from "../i18n/actions";
import { freshnessWords } from "../i18n/freshness";

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
  deepening: "good",
  live: "good",
};

export class IndexStatusLine {
  private readonly textEl: HTMLElement;
  private readonly actionEl: HTMLElement | null;
  private action: ActionId | null = null;

  /** Without `act` there is no button, as in the status bar. */
  constructor(
    private readonly el: HTMLElement,
    act: ((action: ActionId) => void) | null = null,
  ) {
    el.addClass("quarry-status");
    if (act) el.setAttr("role", "status");
    el.createSpan({ cls: "quarry-dot", attr: { "aria-hidden": "true" } });
    this.textEl = el.createEl(act ? "button" : "span", { cls: "quarry-status-text" });
    if (act) {
      this.textEl.title = actionOf("open-inspector").label; // no tooltip of Obsidian's: it would be the name, in place of the state
      this.textEl.addEventListener("click", () => { act("open-inspector"); });
    }
    this.actionEl = act && el.createEl("button", { cls: "quarry-status-action is-hidden" });
    this.actionEl?.addEventListener("click", () => {
      if (this.action) act?.(this.action);
    });
  }

  show(freshness: Freshness): void {
    const { text, action } = freshnessWords(freshness);
    // A change of state is told, and not every count on the way.
    if (this.actionEl) this.el.setAttr("aria-live", this.el.dataset["state"] === freshness.kind ? "off" : "polite");
    this.el.dataset["tone"] = TONES[freshness.kind];
    this.el.dataset["state"] = freshness.kind;
    if (this.textEl.textContent !== text) this.textEl.setText(text);
    if (this.actionEl && this.action !== (action?.id ?? null)) {
      this.actionEl.setText(action?.label ?? "");
      this.actionEl.toggleClass("is-hidden", action === null);
    }
    this.action = action?.id ?? null;
  }
}
