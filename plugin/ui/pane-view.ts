/** Draws what is around the rows of the pane: patches only what differs from the model drawn before. */
import { type SortOrder } from "../protocol/messages";
import { type Answer, answerOf } from "../search/answer";
import { chipsOf } from "../search/clauses";
import { type PaneModel, stateOf } from "../pane/model";
import { freshness } from "../pane/state";
import { t } from "../i18n/translate";
import { announcement, shownPanel } from "../i18n/panels";
import { type PaneDom } from "./pane-dom";
import { type Surroundings } from "./result-list";

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
    this.showFilters(state.kind === "bad-query" ? null : answerOf(model.search));
    dom.panel.show(shownPanel(model));
    dom.progress.show(answerOf(model.search) === null || state.kind === "no-results" ? fresh : null);
    dom.status.show(fresh);
    dom.el.dataset["state"] = state.kind;
    dom.list.listEl.setAttr("aria-label", answerOf(model.search) ? t("pane.results") : t("pane.completions"));
    if (state.kind !== "searching") dom.list.live.announceState(announcement(state));
  }

  /** While an answer is pending, the chips of the one before stay. */
  private showFilters(answer: Answer | null): void {
    const { chips, sort } = this.dom;
    chips.show(answer ? chipsOf(answer.query, answer.clauses) : []);
    sort.show(this.sort(), answer?.sort ?? this.sort());
  }

  rowsShown(): void {
    this.dom.completions.restoreAria();
  }
}
