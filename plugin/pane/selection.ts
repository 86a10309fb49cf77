/** The selected row and the rows chosen beside it, and what becomes of them when rows change. Pure. */
import { type Row, isPlace, isSelectable } from "./rows";

export interface Selection {
  /** Null when there is nothing to select. */
  readonly key: string | null;
  /**
   * The user chose the row, or has the pointer in the list: it stays selected when rows come and go. Otherwise the
   * selection belongs to the first row, whichever that is, because Enter must open the first row.
   */
  readonly isPinned: boolean;
  /** Keys of the rows that are chosen together; empty while only the selected one counts. */
  readonly chosen: ReadonlySet<string>;
  /** The row at which a range of chosen rows began. */
  readonly anchor: string | null;
}

const NONE: ReadonlySet<string> = new Set();

export const NOTHING_SELECTED: Selection = { key: null, isPinned: false, chosen: NONE, anchor: null };

/** The row alone, chosen by the user. */
export function selectedAt(key: string | null): Selection {
  return { key, isPinned: true, chosen: NONE, anchor: null };
}

/** The selection moved by `step` rows; it stops at the ends. */
export function moved({ key }: Selection, rows: readonly Row[], step: number): Selection {
  const options = rows.filter(isSelectable);
  const from = options.findIndex((row) => row.key === key);
  const to = Math.min(Math.max(0, from + step), options.length - 1);
  return selectedAt(options[to]?.key ?? null);
}

/** The selection moved by `step` places, with every place between there and where the range began. */
export function extended(selection: Selection, rows: readonly Row[], step: number): Selection {
  const places = rows.filter(isPlace);
  const from = places.findIndex(({ key }) => key === selection.key);
  const to = places[Math.min(Math.max(0, from + step), places.length - 1)];
  return to ? rangedTo(selection, rows, to.key) : selection;
}

/** The places from where the range began to the row at `key`, which is selected. */
export function rangedTo(selection: Selection, rows: readonly Row[], key: string): Selection {
  const places = rows.filter(isPlace);
  const indexOf = (wanted: string | null): number => places.findIndex((row) => row.key === wanted);
  const to = indexOf(key);
  if (to < 0) return selection;
  const began = indexOf(selection.anchor ?? selection.key);
  const from = began < 0 ? to : began;
  const range = places.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { key, isPinned: true, chosen: new Set(range.map((row) => row.key)), anchor: places[from]?.key ?? key };
}

/** The selection with the place at `key` chosen, or no longer chosen. */
export function toggled({ chosen }: Selection, rows: readonly Row[], key: string): Selection {
  const now = new Set(chosen);
  if (!now.delete(key) && rows.some((row) => isPlace(row) && row.key === key)) now.add(key);
  return { key, isPinned: true, chosen: now, anchor: key };
}

/**
 * The selection after `before` became `rows`. Pinned, it stays on its row, or goes to the row's parent, else to the row
 * that took its place; free, it goes to the first row. Rows that are gone are no longer chosen.
 */
export function settled(selection: Selection, before: readonly Row[], rows: readonly Row[]): Selection {
  const { key, isPinned, anchor } = selection;
  const options = rows.filter(isSelectable);
  const has = (wanted: string | null | undefined): boolean => options.some((row) => row.key === wanted);
  const kept = [...selection.chosen].filter(has);
  const chosen = kept.length === selection.chosen.size ? selection.chosen : new Set(kept);
  const at = (row: string): Selection => ({ key: row, isPinned: true, chosen, anchor: has(anchor) ? anchor : null });
  if (isPinned && key !== null) {
    if (has(key)) return at(key);
    const gone = before.find((row) => row.key === key);
    if (gone?.kind === "passage" && has(gone.parentKey)) return at(gone.parentKey);
    const next = gone?.kind === "more" || gone?.kind === "recent" ? options[before.filter(isSelectable).indexOf(gone)] : undefined;
    if (next) return at(next.key);
  }
  // A row that creates something is only selected by hand: Enter must not create a note because nothing was found.
  const first = options.find(({ kind }) => kind !== "create");
  return { key: first?.key ?? null, isPinned: false, chosen, anchor: null };
}
