/** Recent queries, newest first. Values in, values out; kept on this device only, since queries tell about a person. */

const LENGTH = 12; // what fits the pane without scrolling

/** The history after `query` led somewhere. The same words in another case are the same query. */
export function remember(history: readonly string[], query: string): readonly string[] {
  const text = query.trim();
  if (text === "") return history;
  const others = history.filter((past) => past.toLowerCase() !== text.toLowerCase());
  return [text, ...others].slice(0, LENGTH);
}

/** Whatever was stored becomes a history. */
export function historyOf(saved: unknown): readonly string[] {
  if (!Array.isArray(saved)) return [];
  return saved.filter((entry): entry is string => typeof entry === "string" && entry.trim() !== "").slice(0, LENGTH);
}
