/** The queries of a search box: recent ones, walking through them, and undoing a cleared one. Pure; stored on this device only. */

const MAX_QUERIES = 12; // as many as the pane shows without scrolling

/**
 * The history with `query` in front. Queries that differ in case only are equal, and a newest one that `query` begins with
 * was not typed to the end.
 */
export function remember(history: readonly string[], query: string): readonly string[] {
  const text = query.trim();
  if (text === "") return history;
  const lower = text.toLowerCase();
  const others = history.filter((past, at) => past.toLowerCase() !== lower && !(at === 0 && lower.startsWith(past.toLowerCase())));
  return [text, ...others].slice(0, MAX_QUERIES);
}

export function forget(history: readonly string[], query: string): readonly string[] {
  return history.filter((past) => past !== query);
}

/** A valid history from whatever was stored. */
export function historyOf(saved: unknown): readonly string[] {
  if (!Array.isArray(saved)) return [];
  return saved.filter((entry): entry is string => typeof entry === "string" && entry.trim() !== "").slice(0, MAX_QUERIES);
}

/** A walk begins at the content of the box and leads back to it; typing begins another one. */
export class QueryWalk {
  #queries: readonly string[] = [];
  #at = 0;

  /** The query `step` further back in `recent`, newest first, or on towards `text`, where it began; null at either end. */
  next(text: string, step: number, recent: readonly string[]): string | null {
    // `recent` is read once a walk: a query that stays in the box for a while moves to its front.
    if (this.#queries[this.#at] !== text) {
      this.#queries = [text, ...recent.filter((query) => query !== text.trim())];
      this.#at = 0;
    }
    const query = this.#queries[this.#at + step];
    if (query === undefined) return null;
    this.#at += step;
    return query;
  }
}

/**
 * The query that undo brings back into an empty box.
 *
 * The browser's own undo does not know a text that a button removed. Letters deleted one by one are left to it.
 */
export class ClearedQuery {
  #text = "";
  #cleared: string | null = null;

  /** Takes the box's text after each change. */
  observe(text: string): void {
    if (text === this.#text) return;
    if (text === "") this.#cleared = this.#text.length > 1 ? this.#text : null;
    this.#text = text;
  }

  /** The query to bring back; null while the box contains text or was emptied letter by letter. */
  get restorable(): string | null {
    return this.#text === "" ? this.#cleared : null;
  }
}
