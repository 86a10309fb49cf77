/** The list of recent queries, newest first. Pure; it is stored on this device only, because queries are private. */

const MAX_QUERIES = 12; // as many as the pane shows without scrolling

/** The history with `query` in front. Queries that differ in case only are equal. */
export function remember(history: readonly string[], query: string): readonly string[] {
  const text = query.trim();
  if (text === "") return history;
  const others = history.filter((past) => past.toLowerCase() !== text.toLowerCase());
  return [text, ...others].slice(0, MAX_QUERIES);
}

/** A valid history from whatever was stored. */
export function historyOf(saved: unknown): readonly string[] {
  if (!Array.isArray(saved)) return [];
  return saved.filter((entry): entry is string => typeof entry === "string" && entry.trim() !== "").slice(0, MAX_QUERIES);
}
