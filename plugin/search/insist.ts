/** A query that insists on its words as they were typed. Pure. */
import { type Correction } from "../protocol/messages";

/**
 * `query` with every corrected word in quotes, where the engine takes it as it stands. Null where each of them is in
 * quotes already.
 */
export function insisting(query: string, corrections: readonly Correction[]): string | null {
  const typed = new Set(corrections.map((correction) => correction.typed.toLowerCase()));
  // Quoted stretches come first, so that nothing in them is touched; a quote without a partner reaches to the end.
  const quoted = query.replace(/"[^"]*"?|[\p{L}\p{N}\p{M}_]+/gu, (piece) => (typed.has(piece.toLowerCase()) ? `"${piece}"` : piece));
  return quoted === query ? null : quoted;
}
