/** Which query of the history comes next, while the box is walked through it? Pure. */

/** A walk begins at whatever the box holds and leads back to it; typing begins another one. */
export class QueryWalk {
  private queries: readonly string[] = [];
  private at = 0;

  /** The query `step` further back in `recent`, newest first, or on towards `text`, where it began; null at either end. */
  next(text: string, step: number, recent: readonly string[]): string | null {
    // `recent` is read once a walk: a query that stays in the box for a while moves to its front.
    if (this.queries[this.at] !== text) {
      this.queries = [text, ...recent.filter((query) => query !== text.trim())];
      this.at = 0;
    }
    const query = this.queries[this.at + step];
    if (query === undefined) return null;
    this.at += step;
    return query;
  }
}
