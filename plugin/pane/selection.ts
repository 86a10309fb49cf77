/** Which row is selected, and where does the selection go when rows change? Pure. */
import { type Row } from "./rows";

export interface Selection {
  /** Null when there is nothing to select. */
  readonly key: string | null;
}

export const NOTHING_SELECTED: Selection = { key: null };

/** The selection moved by `step` rows; it stops at the ends. */
export function moved({ key }: Selection, rows: readonly Row[], step: number): Selection {
  const from = rows.findIndex((row) => row.key === key);
  const to = Math.min(Math.max(0, from + step), rows.length - 1);
  return { key: rows[to]?.key ?? null };
}

/** The selection after `before` became `rows`: it stays on its row, or goes to that row's parent, else to the first. */
export function settled({ key }: Selection, before: readonly Row[], rows: readonly Row[]): Selection {
  const has = (wanted: string | undefined): boolean => rows.some((row) => row.key === wanted);
  if (key !== null && has(key)) return { key };
  const gone = before.find((row) => row.key === key);
  if (gone?.kind === "passage" && has(gone.parentKey)) return { key: gone.parentKey };
  return { key: rows[0]?.key ?? null };
}
