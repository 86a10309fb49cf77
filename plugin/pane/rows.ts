/** Which rows does the list show? Pure. */
import { type Hit, type Passage } from "../protocol/messages";
import { type FurtherPassages, passagesOf } from "../search/passage-loader";
import { type Answer } from "../search/session";

/** A note that was found, at its best passage. */
export interface HitRow {
  readonly kind: "hit";
  /** The note's path. */
  readonly key: string;
  readonly hit: Hit;
  /** Null where the note is only listed. */
  readonly passage: Passage | null;
  readonly further: FurtherPassages;
}

/** A further passage of the hit above it. */
export interface PassageRow {
  readonly kind: "passage";
  readonly key: string;
  /** The key of its hit, which is selected when this row disappears. */
  readonly parentKey: string;
  readonly hit: Hit;
  readonly passage: Passage;
}

/** A query of the history. */
export interface RecentRow {
  readonly kind: "recent";
  readonly key: string;
  readonly query: string;
}

/** A row of the list; its key is unique in the list and independent of its position. */
export type Row = HitRow | PassageRow | RecentRow;

/** A row that stands for a place in a note. */
export type PlaceRow = HitRow | PassageRow;

const FOLDED: FurtherPassages = { kind: "folded" };

/** The hits of `answer`, each followed by those of its further passages that are unfolded. */
export function answerRows({ hits }: Answer, further: ReadonlyMap<string, FurtherPassages>): readonly Row[] {
  return hits.flatMap((hit) => {
    const state = further.get(hit.path) ?? FOLDED;
    return [hitRow(hit, state), ...passagesOf(state).map((passage) => passageRow(hit, passage))];
  });
}

export function recentRows(queries: readonly string[]): readonly Row[] {
  return queries.map((query) => ({ kind: "recent", key: `recent ${query}`, query }));
}

export function isPlace(row: Row | null): row is PlaceRow {
  return row?.kind === "hit" || row?.kind === "passage";
}

function hitRow(hit: Hit, further: FurtherPassages): HitRow {
  return { kind: "hit", key: hit.path, hit, passage: hit.passages[0] ?? null, further };
}

function passageRow(hit: Hit, passage: Passage): PassageRow {
  return { kind: "passage", key: `${hit.path}#${passage.start}`, parentKey: hit.path, hit, passage };
}
