/** What other plugins and Obsidian's command line are told. Pure. */

export const API_TEXT = {
  unloaded: "Quarry was turned off.",
  cancelled: "The request was cancelled.",
  notReady: "Quarry's search engine is not connected. Open the search pane for details.",
  busy: "Too many searches are waiting. Try again when they are done.",
  wrongText: (name: string, most: number) => `${name} must be text of 1 to ${String(most)} characters.`,
  wrongNumber: (name: string, least: number, most: number) => `${name} must be a whole number from ${String(least)} to ${String(most)}.`,
  wrongChoice: (name: string, known: readonly string[]) => `${name} must be one of: ${known.join(", ")}.`,
  wrongSignal: "signal must be an AbortSignal.",
  cli: {
    search: "Search notes by words and meaning with Quarry",
    query: "What to search for, with Quarry's operators",
    mode: "hybrid (words and meaning), keyword or semantic",
    limit: "Maximum number of notes, 1 to 100",
    json: "Print JSON",
    paths: "Print paths only",
    related: "List the notes that are most similar to a note",
    path: "Path of the note in the vault",
    nothing: "No notes found.",
    error: (message: string) => `Error: ${message}`,
    weak: "No note is a likely answer. The nearest:",
    linked: "linked",
  },
} as const;
