/** Which row is selected, and where does the selection go when rows change? Pure. */
import { type Row, isSelectable } from "./rows";

export interface Selection {
  /** Null when there is nothing to select. */
  readonly key: string | null;
  /**
   * The user chose the row, or has the pointer in the list: it stays selected when rows come and go. Otherwise the
   * selection belongs to the first row, whichever that is, because Enter must open what stands first.
   */
  readonly isPinned: boolean;
}

export const NOTHING_SELECTED: Selection = { key: null, isPinned: false };

/** The selection moved by `step` rows; it stops at the ends. */
export function moved({ key }: Selection, rows: readonly Row[], step: number): Selection {
  const options = rows.filter(isSelectable);
  const from = options.findIndex((row) => row.key === key);
  const to = Math.min(Math.max(0, from + step), options.length - 1);
  return { key: options[to]?.key ?? null, isPinned: true };
}

/**
 * The selection after `before` became `rows`. Pinned, it stays on its row, or goes to the row's parent, else to the row
 * that took its place; free, it goes to the first row.
 */
export function settled({ key, isPinned }: Selection, before: readonly Row[], rows: readonly Row[]): Selection {
  const options = rows.filter(isSelectable);
  const free: Selection = { key: options[0]?.key ?? null, isPinned: false };
  if (!isPinned || key === null) return free;
  const has = (wanted: string | undefined): boolean => options.some((row) => row.key === wanted);
  if (has(key)) return { key, isPinned };
  const gone = before.find((row) => row.key === key);
  if (gone?.kind === "passage" && has(gone.parentKey)) return { key: gone.parentKey, isPinned };
  if (gone?.kind === "more") {
    const next = options[before.filter(isSelectable).indexOf(gone)];
    if (next) return { key: next.key, isPinned };
  }
  return free;
}
