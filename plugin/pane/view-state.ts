/** What of a pane survives a restart of Obsidian? Pure; the mode is a setting, and survives as one. */

export interface ViewState {
  readonly query: string | null;
  /** How far the list is scrolled, in pixels. */
  readonly scroll: number;
}

/** A valid state from whatever the workspace stored. */
export function viewStateOf(stored: unknown): ViewState {
  const { query, scroll }: Partial<Record<keyof ViewState, unknown>> = typeof stored === "object" && stored !== null ? stored : {};
  return {
    query: typeof query === "string" ? query : null,
    scroll: typeof scroll === "number" && scroll > 0 && Number.isFinite(scroll) ? scroll : 0,
  };
}
