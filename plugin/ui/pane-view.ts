/** Draws what is around the rows of the pane: patches only what differs from the model drawn before. */
import { answerOf } from "../search/answer";
import { type PaneModel, stateOf } from "../pane/model";
import { freshness } from "../pane/state";
import { t } from "../wording/translate";
import { announcement, shownPanel } from "../wording/panels";
import { type PaneDom } from "./pane-dom";
import { type Surroundings } from "./result-list";

export class PaneView implements Surroundings {
  constructor(private readonly dom: PaneDom) {}

  show(model: PaneModel): void {
    const { dom } = this;
    const state = stateOf(model);
    const fresh = freshness(model.engine, model.status);
    dom.modes.show(model.mode);
    dom.line.show(model);
    dom.panel.show(shownPanel(model));
    dom.progress.show(answerOf(model.search) === null || state.kind === "no-results" ? fresh : null);
    dom.status.show(fresh);
    dom.el.dataset["state"] = state.kind;
    dom.list.listEl.setAttr("aria-label", answerOf(model.search) ? t("pane.results") : t("pane.completions"));
    if (state.kind !== "searching") dom.list.live.announceState(announcement(state));
  }

  rowsShown(): void {
    this.dom.completions.restoreAria();
  }
}
