/**
 * The content of the pane as a reducer: `(model, event) -> model`, without a screen or a clock.
 *
 * Events come from the result source, the engine, the history and the user. Views draw a model and dispatch events.
 */
import { type IndexStatus, type Mode, type Passage } from "../protocol/messages";
import { type FurtherPassages } from "../search/passage-loader";
import { type SearchState, answerOf } from "../search/answer";
import { type EngineState } from "../sidecar/supervisor";
import { type Density } from "../snippet/excerpt";
import { answerRows, emptyBoxRows, isPlace, type Offers, type PlaceRow, type Row } from "./rows";
import { type Naming } from "./note-name";
import { type Selection, NOTHING_SELECTED, extended, moved, rangedTo, selectedAt, settled, toggled } from "./selection";
import { type PaneState, paneState } from "./state";

export interface PaneModel extends Offers {
  readonly mode: Mode;
  readonly engine: EngineState;
  readonly status: IndexStatus | null;
  readonly search: SearchState;
  /** Path -> its further passages; folded hits are left out. */
  readonly further: ReadonlyMap<string, FurtherPassages>;
  readonly naming: Naming;
  readonly density: Density;
  /** The weak rows of this answer are all shown. */
  readonly showsWeak: boolean;
  /** Key of a row -> its passage, quoted at length. */
  readonly contexts: ReadonlyMap<string, Passage>;
  /** The state of the engine is shown above rows that were found without it. */
  readonly showsHelp: boolean;
  /** Paths of the hits of this answer that are not what was meant. */
  readonly dismissed: ReadonlySet<string>;
  /** The name of the note that can be created from the query; null where none is offered. */
  readonly newNote: string | null;
  readonly rows: readonly Row[];
  readonly selection: Selection;
}

export type PaneEvent =
  | { readonly kind: "engine"; readonly engine: EngineState; readonly status: IndexStatus | null }
  /** The search changed, and with it which note could be created. */
  | { readonly kind: "search"; readonly search: SearchState; readonly newNote?: string | null }
  /** The further passages of one hit changed. */
  | { readonly kind: "further"; readonly path: string; readonly further: FurtherPassages }
  /** The queries that an empty box offers. */
  | { readonly kind: "history"; readonly recent: readonly string[]; readonly saved: readonly string[] }
  /** What else an empty box offers. */
  | { readonly kind: "offered"; readonly offers: Partial<Pick<Offers, "examples" | "related" | "notes">> }
  | { readonly kind: "options"; readonly mode: Mode; readonly naming: Naming; readonly density: Density }
  /** The weak rows that are held back are wanted. */
  | { readonly kind: "weak-wanted" }
  /** More of a row's passage is shown, or no longer. */
  | { readonly kind: "context"; readonly key: string; readonly context: Passage | null }
  /** What there is to say about the engine is wanted, or no longer. */
  | { readonly kind: "help-toggled" }
  /** The pointer is in the list, so rows must stay under it. */
  | { readonly kind: "touched" }
  /** The selection was moved by so many rows. */
  | { readonly kind: "moved"; readonly step: number }
  /** A row was selected. */
  | { readonly kind: "selected"; readonly key: string }
  /** The selection was moved by so many rows, and all on the way were chosen. */
  | { readonly kind: "extended"; readonly step: number }
  /** All rows up to this one were chosen. */
  | { readonly kind: "ranged"; readonly key: string }
  /** A row was chosen beside others, or no longer. */
  | { readonly kind: "toggled"; readonly key: string }
  /** Only the selected row counts again. */
  | { readonly kind: "unchosen" }
  /** A hit is not what was meant, or is after all. */
  | { readonly kind: "dismissed"; readonly path: string; readonly isDismissed: boolean };

/** The model of a pane without a query. */
export function emptyModel(mode: Mode, engine: EngineState, status: IndexStatus | null): PaneModel {
  return { mode, engine, status, search: { kind: "idle" }, further: new Map(), history: [], saved: [], examples: null, related: null, notes: null, naming: "file", density: "normal", showsWeak: false, showsHelp: false, contexts: new Map(), dismissed: new Set(), newNote: null, rows: [], selection: NOTHING_SELECTED };
}

export function reduce(model: PaneModel, event: PaneEvent): PaneModel {
  switch (event.kind) {
    case "engine":
      return { ...model, engine: event.engine, status: event.status, showsHelp: model.showsHelp && event.engine.kind !== "live" };
    case "search": {
      const { search, newNote = null } = event;
      // While an answer is pending, its predecessor's rows stay, the offer of a note among them.
      const offer = search.kind === "results" ? newNote : model.newNote;
      return isNewAnswer(search)
        ? withRows(model, { ...model, search, newNote: offer, showsWeak: false, contexts: new Map(), dismissed: new Set() }, true)
        : withRows(model, { ...model, search, newNote: offer }, false);
    }
    case "further":
      return withRows(model, { ...model, further: withValue(model.further, event.path, event.further.kind === "folded" ? null : event.further) }, false);
    case "history":
      return withRows(model, { ...model, history: event.recent, saved: event.saved }, false);
    case "offered":
      return withRows(model, { ...model, ...event.offers }, false);
    case "options":
      return withRows(model, { ...model, mode: event.mode, naming: event.naming, density: event.density }, false);
    case "weak-wanted":
      return withRows(model, { ...model, showsWeak: true }, false);
    case "context":
      return withRows(model, { ...model, contexts: withValue(model.contexts, event.key, event.context) }, false);
    case "help-toggled":
      return { ...model, showsHelp: !model.showsHelp };
    case "touched":
      return { ...model, selection: { ...model.selection, isPinned: model.selection.key !== null } };
    case "moved":
      return { ...model, selection: moved(model.selection, model.rows, event.step) };
    case "selected":
      return { ...model, selection: model.rows.some(({ key }) => key === event.key) ? selectedAt(event.key) : model.selection };
    case "extended":
      return { ...model, selection: extended(model.selection, model.rows, event.step) };
    case "ranged":
      return { ...model, selection: rangedTo(model.selection, model.rows, event.key) };
    case "toggled":
      return { ...model, selection: toggled(model.selection, model.rows, event.key) };
    case "unchosen":
      return { ...model, selection: selectedAt(model.selection.key) };
    case "dismissed":
      return withRows(model, { ...model, dismissed: withPath(model.dismissed, event.path, event.isDismissed) }, false);
  }
}

/** The state of the pane's body. */
export function stateOf({ engine, status, search, history, saved, notes }: PaneModel): PaneState {
  return paneState(engine, status, search, search.kind === "idle" && (history.length + saved.length > 0 || notes !== null));
}

export function selectedRow({ rows, selection }: PaneModel): Row | null {
  return rows.find(({ key }) => key === selection.key) ?? null;
}

/** The rows that a command concerns: those that are chosen, from top to bottom, else the selected one. */
export function targetRows(model: PaneModel): readonly PlaceRow[] {
  const { rows, selection } = model;
  const chosen = rows.filter(isPlace).filter(({ key }) => selection.chosen.has(key));
  if (chosen.length > 0) return chosen;
  const row = selectedRow(model);
  return isPlace(row) ? [row] : [];
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

function hasSameRows(before: PaneModel, model: PaneModel): boolean {
  const isIdle = ({ search }: PaneModel): boolean => search.kind === "idle";
  const rowsDependOn = ({ further, contexts, history, saved, examples, related, notes, naming, showsWeak, dismissed, newNote, search }: PaneModel): readonly unknown[] => [further, contexts, history, saved, examples, related, notes, naming, showsWeak, dismissed, newNote, answerOf(search)];
  const now = rowsDependOn(model);
  return isIdle(before) === isIdle(model) && rowsDependOn(before).every((value, at) => value === now[at]);
}

function rowsOf(model: PaneModel): readonly Row[] {
  const answer = answerOf(model.search);
  if (answer) return answerRows(answer, model);
  return model.search.kind === "idle" ? emptyBoxRows(model, model) : [];
}

function withValue<T>(all: ReadonlyMap<string, T>, key: string, value: T | null): ReadonlyMap<string, T> {
  const changed = new Map(all);
  if (value === null) changed.delete(key);
  else changed.set(key, value);
  return changed;
}

function withPath(paths: ReadonlySet<string>, path: string, isIn: boolean): ReadonlySet<string> {
  const changed = new Set(paths);
  if (isIn) changed.add(path);
  else changed.delete(path);
  return changed;
}
