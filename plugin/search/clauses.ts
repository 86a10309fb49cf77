/** How is a part of a query taken out of its text? Pure; the engine says which parts there are, and where. */
import { type Clause } from "../protocol/messages";

export interface Chip {
  /** The part as it was typed: `folder:Work`, `-#draft`. */
  readonly text: string;
  /** The query without it; null where the rest would mean something else. */
  readonly rest: string | null;
}

/** The parts of `query` that a chip stands for, in order. */
export function chipsOf(query: string, clauses: readonly Clause[]): readonly Chip[] {
  return clauses.map(({ start, end, removable }) => ({
    text: query.slice(start, end).trim(),
    rest: removable ? (query.slice(0, start) + query.slice(end)).trim() : null,
  }));
}
