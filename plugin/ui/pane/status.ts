/** The lines that state how things are: above the rows, in the footer and status bar, and during the first indexing. */
import { Platform } from "obsidian";
import { type Cancel, type Clock } from "../../clock";
import { actionOf } from "../../i18n/actions";
import { freshnessWords } from "../../i18n/inspection";
import { statusWords } from "../../i18n/panels";
import { t } from "../../i18n/translate";
import { type ActionId } from "../../pane/commands";
import { type PaneModel } from "../../pane/model";
import { type Freshness } from "../../pane/state";
import { isToDraw, setText, showText } from "../list/elements";

/** Colours of the dot; they only repeat the text, so that nothing depends on seeing colours. */
const TONES: Readonly<Record<Freshness["kind"], string>> = {
  off: "muted",
  starting: "busy",
  listing: "busy",
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

/** A line that states how the index is; the result shows it. Without `act` there is no button, as in the status bar. */
export function indexStatusLine(el: HTMLElement, act: ((action: ActionId) => void) | null = null): (freshness: Freshness) => void {
  let shown: ActionId | null = null;
  el.addClass("quarry-status");
  el.createSpan({ cls: "quarry-dot", attr: { "aria-hidden": "true" } });
  const textEl = el.createEl(act ? "button" : "span", { cls: "quarry-status-text" });
  const actionEl = act && el.createEl("button", { cls: "quarry-status-action is-hidden" });
  if (act) {
    el.setAttr("role", "status");
    textEl.title = actionOf("open-inspector").label; // no tooltip of Obsidian's: it would be the name, in place of the state
    textEl.addEventListener("click", () => { act("open-inspector"); });
    actionEl?.addEventListener("click", () => { if (shown) act(shown); });
  }
  return (freshness) => {
    const { text, action } = freshnessWords(freshness);
    // A change of state is told, and not every count on the way.
    if (act) el.setAttr("aria-live", el.dataset["state"] === freshness.kind ? "off" : "polite");
    el.dataset["tone"] = TONES[freshness.kind];
    el.dataset["state"] = freshness.kind;
    setText(textEl, text);
    if (actionEl) showText(actionEl, action?.label ?? "");
    shown = action?.id ?? null;
  };
}

const REST_MS = 700; // the rows below move once, when typing rests, and not with every key

/** The line above the rows; the result shows what it says. A sentence is cut at the end of the line until it has stood for a while. */
export function statusLine(parent: HTMLElement, clock: Clock, act: (action: ActionId) => void): (model: PaneModel) => void {
  const el = parent.createDiv({ cls: "quarry-line" });
  let cancelRest: Cancel = () => undefined;
  return (model) => {
    const words = statusWords(model, Platform.isMacOS);
    if (!isToDraw(el, words)) return;
    const { tone, text, tip, action } = words;
    cancelRest();
    parent.removeClass("is-at-rest");
    el.empty();
    el.dataset["tone"] = tone;
    if (text === "") return; // chips then have the whole row
    const line = el.createDiv({ cls: "quarry-remark-box" }).createDiv({ cls: "quarry-remark" });
    line.createSpan({ cls: tone === "count" ? "quarry-count" : "quarry-remark-text", text, attr: { dir: "auto" } });
    line.title = tone === "count" ? tip : [text, tip].join("\n");
    line.setAttr("aria-description", tip === "" ? null : tip);
    if (tone !== "count") cancelRest = clock.after(REST_MS, () => { parent.addClass("is-at-rest"); });
    if (!action) return;
    line.appendText(" ");
    const button = line.createEl("button", { cls: "quarry-link", text: action.label, attr: { "data-action": action.id } });
    button.addEventListener("click", () => { act(action.id); });
  };
}

/** The progress of the first indexing; the result shows it, or nothing where rows are shown instead. */
export function progressBlock(el: HTMLElement, act: (action: ActionId) => void): (freshness: Freshness | null) => void {
  const textEl = el.createDiv({ cls: "quarry-progress-text" });
  const barEl = el.createEl("progress", { cls: "quarry-progress-bar" });
  el.createDiv({ cls: "quarry-progress-text", text: t("freshness.indexingHint") });
  const pause = el.createEl("button", { cls: "quarry-link", text: actionOf("pause").label, attr: { "data-action": "pause" } });
  pause.addEventListener("click", () => { act("pause"); });
  return (freshness) => {
    const isShown = freshness?.kind === "indexing";
    el.toggleClass("is-hidden", !isShown);
    if (!isShown) return;
    const { text } = freshnessWords(freshness);
    setText(textEl, text);
    barEl.max = Math.max(1, freshness.total);
    barEl.value = freshness.done;
    barEl.setAttr("aria-label", text);
  };
}
