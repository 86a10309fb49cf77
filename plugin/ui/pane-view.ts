/** Draws a model of the pane: patches only what differs from the model drawn before. */
import { answerOf } from "../search/answer";
import { type Room } from "../snippet/excerpt";
import { roomFor } from "../snippet/layout";
import { type PaneModel, stateOf } from "../pane/model";
import { type PaneState, freshness } from "../pane/state";
import { t } from "../wording/translate";
import { announcement, panelWords } from "../wording/panels";
import { type PaneDom } from "./pane-dom";
import { keepInPlace } from "./row-list";

export class PaneView {
  private shown: PaneModel | null = null;
  private currentRoom: Room = roomFor(0, "normal");

  constructor(private readonly dom: PaneDom) {}

  /** The room for an excerpt, as of the last measurement. */
  get room(): Room {
    return this.currentRoom;
  }

  show(model: PaneModel): void {
    const before = this.shown;
    this.shown = model;
    if (model.density !== before?.density) this.measure();
    this.showState(model);
    this.showRows(model, before);
  }

  /** Measures the pane and draws the rows for its width. */
  measure(): void {
    const density = this.shown?.density ?? "normal";
    const room = roomFor(this.dom.listEl.clientWidth, density);
    this.dom.el.dataset["density"] = density;
    if (room.characters === this.currentRoom.characters && room.asked === this.currentRoom.asked) return;
    this.currentRoom = room;
    if (this.shown) this.dom.rows.show(this.shown.rows, Date.now(), room);
  }

  private showState(model: PaneModel): void {
    const { dom } = this;
    const state = stateOf(model);
    const fresh = freshness(model.engine, model.status);
    dom.modes.show(model.mode);
    dom.line.show(model);
    // Rows of the query before stay where they are while this one cannot be read: the line above them says so.
    dom.panel.show(state.kind === "bad-query" && model.rows.length > 0 ? null : panelWords(state));
    dom.progress.show(answerOf(model.search) === null || state.kind === "no-results" ? fresh : null);
    dom.status.show(fresh);
    dom.el.dataset["state"] = state.kind;
    dom.stale.set(isStale(state));
    dom.listEl.setAttr("aria-label", answerOf(model.search) ? t("pane.results") : t("pane.recent"));
    if (state.kind !== "searching") dom.live.announceState(announcement(state));
  }

  private showRows(model: PaneModel, before: PaneModel | null): void {
    const { rows, active, completions, bodyEl, listEl } = this.dom;
    const isNew = model.search !== before?.search && model.search.kind === "results" && !model.search.isRefresh;
    if (model.rows !== before?.rows) {
      const pointed = listEl.querySelector(".quarry-option:hover, .quarry-more:hover") ?? active.el;
      const held = !isNew && model.selection.isPinned ? pointed : null;
      keepInPlace(bodyEl, held, () => { rows.show(model.rows, Date.now(), this.currentRoom); });
    }
    active.show(rows.elementOf(model.selection.key));
    completions.restoreAria();
    if (isNew) bodyEl.scrollTop = 0;
    else if (model.selection.key !== before?.selection.key && model.selection.isPinned) active.el?.scrollIntoView({ block: "nearest" });
  }
}

/** Whether the rows answer an earlier query, or come from an engine that is gone. */
function isStale({ kind }: PaneState): boolean {
  return kind !== "results" && kind !== "empty";
}
