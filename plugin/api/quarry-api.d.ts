/**
 * Quarry's interface for other Obsidian plugins, version 1. Copy this file into your plugin; it imports nothing.
 *
 *     const quarry = this.app.plugins.plugins["quarry"]?.api as QuarryApi | undefined;
 *
 * Quarry may be loaded after your plugin, or be turned off and on: `workspace.on("quarry:loaded", (api: QuarryApi) => …)`
 * tells each time, and `"quarry:unloaded"` the end of an API. Nothing here throws and no promise rejects.
 */

export interface QuarryApi {
  /** Grows only when something here changes its meaning or goes; what is added leaves it as it is. */
  readonly version: 1;

  /** Whether a search is answered at once: the engine runs and is connected. */
  isReady(): boolean;

  /** Calls *callback* once, as soon as the engine is connected; at once where it is. The function returned takes it back. */
  onReady(callback: () => void): () => void;

  /** Calls *callback* after every change to the index, such as a saved note. The function returned takes it back. */
  onIndexUpdated(callback: () => void): () => void;

  /** Searches with the syntax of the search pane. */
  search(query: string, options?: QuarrySearchOptions): Promise<QuarryReply<QuarryAnswer>>;

  /** The notes that are most similar to a note, best first. */
  related(path: string, options?: QuarryRelatedOptions): Promise<QuarryReply<readonly QuarryRelatedNote[]>>;

  /** Shows the search pane with this query. */
  openSearch(query: string): void;
}

export interface QuarryRelatedOptions {
  /** Maximum number of notes, 1 to 100. Default: 10. */
  readonly limit?: number;
  /** Cancels the request, here and in the engine. */
  readonly signal?: AbortSignal;
}

export interface QuarrySearchOptions extends QuarryRelatedOptions {
  /** Words and meaning, words only, or meaning only. Default: "hybrid". */
  readonly mode?: "hybrid" | "keyword" | "semantic";
  /** Maximum length of a snippet in characters, 40 to 1000. Default: 240. */
  readonly snippetLength?: number;
}

export type QuarryReply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: QuarryError };

export interface QuarryError {
  /**
   * bad-argument: an option is out of its range. bad-query: the query cannot be read. busy: eight requests of all plugins
   * are waiting. not-ready: the engine is not connected; `onReady` tells when it is. unloaded: Quarry was turned off.
   */
  readonly kind: "bad-argument" | "bad-query" | "busy" | "cancelled" | "failed" | "not-ready" | "timed-out" | "unloaded";
  /** A sentence for the user. */
  readonly message: string;
  /** Where the query is wrong, in UTF-16 code units; null elsewhere. */
  readonly position: number | null;
}

export interface QuarryAnswer {
  /** At most `limit`, one for each note, best first. */
  readonly hits: readonly QuarryHit[];
  /** Notes found, before `limit`. */
  readonly total: number;
  /** No hit is likely to answer the query. */
  readonly isWeak: boolean;
  /** Words that were taken for typing errors. */
  readonly corrections: readonly { readonly typed: string; readonly used: string }[];
  /** The query as typed found nothing: how it was relaxed, in a sentence. Null otherwise. */
  readonly relaxed: string | null;
  /** False while notes are still being indexed, so that some may be missing. */
  readonly isComplete: boolean;
}

export interface QuarryHit {
  /** In the vault, with `/`. */
  readonly path: string;
  readonly title: string;
  /** The probability that the note answers the query, 0 to 1; comparable across queries. 0 where the query has no words. */
  readonly confidence: number;
  /** Null where the query has no words. */
  readonly foundBy: "words" | "meaning" | "both" | null;
  /** Words of the query that the note contains in no form. */
  readonly missingWords: readonly string[];
  /** Milliseconds since 1970. */
  readonly modifiedMs: number;
  readonly tags: readonly string[];
  /** The best passage; null where notes are only listed. */
  readonly passage: QuarryPassage | null;
}

export interface QuarryPassage {
  /** The headings above it, outermost first. */
  readonly headings: readonly string[];
  /** Text of the note, in which credentials are blanked out. It is what somebody wrote: show it as text, never as HTML. */
  readonly snippet: string;
  /** The query's words in the snippet, in UTF-16 code units. */
  readonly marks: readonly { readonly start: number; readonly end: number }[];
  /** Of the match in the note, from 0. */
  readonly line: number;
  /** Of the match in the note's file, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

export interface QuarryRelatedNote {
  readonly path: string;
  readonly title: string;
  /** One of the two notes links to the other. */
  readonly isLinked: boolean;
  /** The most similar passage. */
  readonly passage: QuarryPassage;
}
