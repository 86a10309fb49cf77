/** The list of recent queries, newest first. Pure; it is stored on this device only, because queries are private. */

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
