/**
 * What does the pane show, and how does that change? A reducer: `(model, event) -> model`, without a screen or a clock.
 *
 * Events come from the result source, the engine, the history and the user. Views draw a model and dispatch events.
 */
import { type IndexStatus, type Mode } from "../protocol/messages";
import { type FurtherPassages } from "../search/passage-loader";
import { type SearchState, answerOf } from "../search/session";
import { type EngineState } from "../sidecar/supervisor";
import { type Row, answerRows, recentRows } from "./rows";
import { type Selection, NOTHING_SELECTED, moved, settled } from "./selection";
import { type PaneState, paneState } from "./state";

export interface PaneModel {
  readonly mode: Mode;
  readonly engine: EngineState;
  readonly status: IndexStatus | null;
  readonly search: SearchState;
  /** Path -> its further passages; folded hits are left out. */
  readonly further: ReadonlyMap<string, FurtherPassages>;
  readonly history: readonly string[];
  readonly rows: readonly Row[];
  readonly selection: Selection;
}

export type PaneEvent =
  | { readonly kind: "mode"; readonly mode: Mode }
  | { readonly kind: "engine"; readonly engine: EngineState; readonly status: IndexStatus | null }
  | { readonly kind: "search"; readonly search: SearchState }
  /** The further passages of one hit changed. */
  | { readonly kind: "further"; readonly path: string; readonly further: FurtherPassages }
  | { readonly kind: "history"; readonly queries: readonly string[] }
  /** The selection was moved by so many rows. */
  | { readonly kind: "moved"; readonly step: number }
  /** A row was chosen. */
  | { readonly kind: "selected"; readonly key: string };

/** The model of a pane without a query. */
export function emptyModel(mode: Mode, engine: EngineState, status: IndexStatus | null): PaneModel {
  return { mode, engine, status, search: { kind: "idle" }, further: new Map(), history: [], rows: [], selection: NOTHING_SELECTED };
}

export function reduce(model: PaneModel, event: PaneEvent): PaneModel {
  switch (event.kind) {
    case "mode":
      return { ...model, mode: event.mode };
    case "engine":
      return { ...model, engine: event.engine, status: event.status };
    case "search":
      return withRows(model, { ...model, search: event.search }, isNewAnswer(event.search));
    case "further":
      return withRows(model, { ...model, further: withFurther(model.further, event.path, event.further) }, false);
    case "history":
      return withRows(model, { ...model, history: event.queries }, false);
    case "moved":
      return { ...model, selection: moved(model.selection, model.rows, event.step) };
    case "selected":
      return { ...model, selection: model.rows.some(({ key }) => key === event.key) ? { key: event.key } : model.selection };
  }
}

/** The state of the pane's body. */
export function stateOf({ engine, status, search, history }: PaneModel): PaneState {
  return paneState(engine, status, search, search.kind === "idle" && history.length > 0);
}

export function selectedRow({ rows, selection }: PaneModel): Row | null {
  return rows.find(({ key }) => key === selection.key) ?? null;
}

/** Whether `search` answers another query than the one before, so that the old selection means nothing. */
function isNewAnswer(search: SearchState): boolean {
  return search.kind === "results" && !search.isRefresh;
}

function withRows(before: PaneModel, model: PaneModel, isNew: boolean): PaneModel {
  // While the next answer is pending, the rows stay the same values, so that views need not compare them.
  const rows = hasSameRows(before, model) ? before.rows : rowsOf(model);
  // In semantic search nearly every note is a hit of the next query again, possibly far below, and Enter would open that one.
  return { ...model, rows, selection: settled(isNew ? NOTHING_SELECTED : model.selection, before.rows, rows) };
}

function hasSameRows(before: PaneModel, { search, further, history }: PaneModel): boolean {
  const isIdle = (state: SearchState): boolean => state.kind === "idle";
  return answerOf(before.search) === answerOf(search) && isIdle(before.search) === isIdle(search) && before.further === further && before.history === history;
}

function rowsOf({ search, further, history }: PaneModel): readonly Row[] {
  const answer = answerOf(search);
  return answer ? answerRows(answer, further) : recentRows(search.kind === "idle" ? history : []);
}

function withFurther(all: PaneModel["further"], path: string, further: FurtherPassages): PaneModel["further"] {
  const changed = new Map(all);
  if (further.kind === "folded") changed.delete(path);
  else changed.set(path, further);
  return changed;
}
