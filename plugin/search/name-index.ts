/**
 * The names of all notes in memory, for the time without an engine: read on first use, kept up to date by events, and
 * dropped when the engine is there. Work goes in short steps, so that typing never waits for it.
 */
import { type Clock } from "../clock";
import { type Emitter } from "../emitter";
import { type Hit } from "../protocol/messages";
import { nameHit } from "./name-hit";
import { type NameEntry, type NoteNames, nameEntry, scoreOf } from "./name-match";
import { parseNameQuery } from "./name-query";

const STEP_MS = 6; // leaves more than half of a frame to whoever draws

/** Where names come from. */
export interface NoteNamesSource {
  paths(): readonly string[];
  /** Null where there is no such note. */
  namesOf(path: string): NoteNames | null;
  /** Emits the path of a note that is new, changed or gone. */
  readonly changed: Emitter<string>;
}

export interface NameAnswer {
  readonly hits: readonly Hit[];
  readonly total: number;
  /** Parts of the query that were left out. */
  readonly ignored: readonly string[];
}

export class NameIndex {
  private readonly entries = new Map<string, NameEntry>();
  /** Paths whose names are to be read; null: all of them, as nothing was asked yet. */
  private dirty: Set<string> | null = null;

  constructor(
    private readonly source: NoteNamesSource,
    private readonly clock: Clock,
  ) {
    source.changed.listen((path) => { this.dirty?.add(path); });
  }

  /** The best `limit` notes; null when `isCancelled` said so before the end. */
  async search(query: string, limit: number, isCancelled: () => boolean): Promise<NameAnswer | null> {
    const dirty = (this.dirty ??= new Set(this.source.paths()));
    const isRead = await this.inSteps(dirty, (path) => { this.read(path, dirty); }, isCancelled);
    if (!isRead) return null;
    const parsed = parseNameQuery(query);
    const found: { readonly entry: NameEntry; readonly score: number }[] = [];
    const isScored = await this.inSteps(this.entries.values(), (entry) => {
      const score = scoreOf(entry, parsed);
      if (score > 0) found.push({ entry, score });
    }, isCancelled);
    if (!isScored) return null;
    found.sort((a, b) => b.score - a.score || b.entry.note.modifiedMs - a.entry.note.modifiedMs);
    return { hits: found.slice(0, limit).map(({ entry }) => nameHit(entry, parsed)), total: found.length, ignored: parsed.ignored };
  }

  /** Gives the memory back. */
  drop(): void {
    this.entries.clear();
    this.dirty = null;
  }

  private read(path: string, dirty: Set<string>): void {
    dirty.delete(path);
    if (dirty !== this.dirty) return; // dropped meanwhile
    const names = this.source.namesOf(path);
    if (names) this.entries.set(path, nameEntry(names));
    else this.entries.delete(path);
  }

  /** Calls `run` for each of `items`, a few milliseconds at a time; false when it was cancelled. */
  private async inSteps<T>(items: Iterable<T>, run: (item: T) => void, isCancelled: () => boolean): Promise<boolean> {
    let until = this.clock.now() + STEP_MS;
    for (const item of items) {
      if (this.clock.now() >= until) {
        await new Promise<void>((resolve) => { this.clock.after(0, resolve); });
        if (isCancelled()) return false;
        until = this.clock.now() + STEP_MS;
      }
      run(item);
    }
    return true;
  }
}
