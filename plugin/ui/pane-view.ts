/** Draws a model of the pane: patches only what differs from the model drawn before. */
import { type Answer, answerOf } from "../search/session";
import { type PaneModel, selectedRow, stateOf } from "../pane/model";
import { type PaneState, degradation, freshness } from "../pane/state";
import { countWords, understoodWords } from "../wording/answer";
import { degradationWords } from "../wording/freshness";
import { TEXT } from "../wording/names";
import { announcement, panelWords } from "../wording/panels";
import { type PaneDom } from "./pane-dom";
import { keepInPlace } from "./row-list";

export class PaneView {
  private shown: PaneModel | null = null;

  constructor(private readonly dom: PaneDom) {}

  show(model: PaneModel): void {
    const before = this.shown;
    this.shown = model;
    this.showState(model);
    this.showRows(model, before);
  }

  private showState(model: PaneModel): void {
    const { dom } = this;
    const { engine, status, search } = model;
    const state = stateOf(model);
    const answer = answerOf(search);
    dom.modes.show(model.mode);
    dom.panel.show(panelWords(state));
    dom.status.show(freshness(engine, status));
    showCount(dom.countEl, answer);
    dom.adjustments.show(answer);
    const missing = engine.kind === "live" ? degradation(status, search) : null;
    showText(dom.degradationEl, missing ? degradationWords(missing) : "");
    dom.el.dataset["state"] = state.kind;
    dom.stale.set(isStale(state));
    dom.listEl.setAttr("aria-label", answer ? TEXT.listLabel : TEXT.recentLabel);
    if (state.kind !== "searching") dom.live.announceState(announcement(state));
  }

  private showRows(model: PaneModel, before: PaneModel | null): void {
    const { rows, active, completions, listEl } = this.dom;
    if (model.rows !== before?.rows) {
      const isNew = model.search !== before?.search;
      const pointed = isNew ? null : (listEl.querySelector(".quarry-option:hover, .quarry-more:hover") ?? active.el);
      keepInPlace(listEl, pointed, () => { rows.show(model.rows, Date.now()); });
    }
    active.show(rows.elementOf(model.selection.key));
    completions.restoreAria();
    if (model.selection.key === before?.selection.key) return;
    if (isFirst(model)) listEl.scrollTop = 0;
    else active.el?.scrollIntoView({ block: "nearest" });
  }
}

function isFirst(model: PaneModel): boolean {
  return selectedRow(model) === model.rows[0];
}

/** Whether the rows answer an earlier query, or come from an engine that is gone. */
function isStale({ kind }: PaneState): boolean {
  return kind !== "results" && kind !== "empty";
}

/** Shows the count, with the query as understood for its tooltip and accessible description. */
function showCount(el: HTMLElement, answer: Answer | null): void {
  const isFound = answer !== null && answer.hits.length > 0;
  showText(el, isFound ? countWords(answer) : "");
  const understood = isFound ? understoodWords(answer.understood) : "";
  el.title = understood;
  el.setAttr("aria-description", understood === "" ? null : understood);
}

function showText(el: HTMLElement, text: string): void {
  if (el.textContent !== text) el.setText(text);
  el.toggleClass("is-hidden", text === "");
}
