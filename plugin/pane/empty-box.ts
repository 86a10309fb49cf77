/** Which rows does the list show while the search box is empty? Pure. */
import { type Answer } from "../search/answer";
import { type Row, type RowOptions, answerRows, queryRows } from "./rows";

/** The notes that are related to the open one. */
export interface RelatedOffer {
  /** The open note. */
  readonly name: string;
  readonly answer: Answer;
}

/** What an empty box offers. */
export interface Offers {
  readonly history: readonly string[];
  readonly saved: readonly string[];
  /** Queries to try; null while it is not known which there are. */
  readonly examples: readonly string[] | null;
  readonly related: RelatedOffer | null;
}

const ENOUGH_RECENT = 3; // who has searched so often needs no examples
const RELATED = 5; // the view of related notes has more

/** Queries first, then related notes: what comes late stands below what was there. */
export function emptyBoxRows({ history, saved, examples, related }: Offers, options: RowOptions): readonly Row[] {
  const queries = queryRows(history, saved);
  if (history.length >= ENOUGH_RECENT) return [...queries, ...relatedRows(related, options)];
  if (examples === null) return queries;
  const known = new Set([...history, ...saved]);
  const shown = examples.filter((query) => !known.has(query)).map((query) => ({ kind: "example", key: `example ${query}`, query }) as const);
  const divider: readonly Row[] = shown.length === 0 ? [] : [{ kind: "divider", key: "divider examples", section: "examples" }];
  return [...queries, ...divider, ...shown, ...relatedRows(related, options)];
}

function relatedRows(related: RelatedOffer | null, options: RowOptions): readonly Row[] {
  if (!related) return [];
  const { mentionsFrom: _, ...answer } = related.answer;
  const hits = answer.hits.slice(0, RELATED);
  if (hits.length === 0) return [];
  return [
    { kind: "divider", key: "divider related", section: "related", name: related.name },
    ...answerRows({ ...answer, hits, total: hits.length }, { ...options, newNote: null }),
    { kind: "more", key: "more related", what: "related", count: 0 },
  ];
}
