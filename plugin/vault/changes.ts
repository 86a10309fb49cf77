/**
 * Coalesces a burst of changes into the fewest that have the same effect. Pure: no clock, no vault.
 *
 * A rename carries a note's identity, and with it the vectors, from path to path, so its position in the order matters. A
 * created or modified path only means "read this file again", so it is reported last, once, under its final name. The
 * queue keeps the two apart:
 *
 *     moves   renames and deletions, in order
 *     dirty   paths to read again, reported after all moves
 *
 * A path has the extension of a kind that is searched, or names a folder; the move of a folder covers everything below it.
 */
import { kindOf } from "../document-kind";
import { type Change } from "../protocol/messages";

type DirtyKind = "created" | "modified";

interface Move {
  readonly path: string;
  /** Null: deleted. */
  readonly from: string | null;
  /** Sent before and perhaps applied, so a later change must not be merged into it. */
  readonly isSent: boolean;
}

export class ChangeQueue {
  /** Removed moves leave null, so that the positions in `lastMove` stay valid. */
  #moves: (Move | null)[] = [];
  #dirty = new Map<string, DirtyKind>();
  /** Path -> position of the last move that names it. */
  #lastMove = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#dirty.size === 0 && this.#moves.every((move) => move === null);
  }

  add(change: Change): void {
    switch (change.kind) {
      case "created":
        this.#create(change.path);
        return;
      case "modified":
        if (!this.#dirty.has(change.path)) this.#dirty.set(change.path, "modified");
        return;
      case "deleted":
        this.#remove(change.path);
        return;
      case "renamed":
        if (typeof change.oldPath === "string" && change.oldPath !== change.path) this.#rename(change.oldPath, change.path);
        return;
    }
  }

  /** Removes and returns at most `limit` changes, in an order in which they can be applied one by one. */
  takeBatch(limit: number): readonly Change[] {
    const moves = this.#moves.filter((move) => move !== null);
    const taken: Change[] = moves.slice(0, limit).map(toChange);
    this.#replaceMoves(moves.slice(limit));
    for (const [path, kind] of this.#dirty) {
      if (taken.length >= limit) break;
      taken.push({ kind, path });
      this.#dirty.delete(path);
    }
    return taken;
  }

  /** Puts a batch that did not arrive, or may not have, back in front of all later changes. */
  putBack(batch: readonly Change[]): void {
    const since = this.takeBatch(Infinity);
    this.#replaceMoves(batch.filter(({ kind }) => kind === "renamed" || kind === "deleted").map(({ path, oldPath }) => ({ path, from: oldPath ?? null, isSent: true })));
    // Even a created path comes back as "modified": the sidecar may know it by now, so its deletion must be reported.
    for (const { kind, path } of batch) if (kind === "created" || kind === "modified") this.#dirty.set(path, "modified");
    for (const change of since) this.add(change);
  }

  // --- one kind each ------------------------------------------------------------------------------

  #create(path: string): void {
    const last = this.#lastRelated(path);
    if (last?.path === path && last.from === null && !last.isSent) {
      this.#removeLastMove(path); // deleted and created again, as many programs save a file: it was replaced
      this.#dirty.set(path, "modified");
    } else if (!this.#dirty.has(path)) {
      this.#dirty.set(path, "created");
    }
  }

  #remove(path: string): void {
    const wasNew = this.#dirty.get(path) === "created";
    for (const below of this.#dirtyFrom(path)) this.#dirty.delete(below);
    if (wasNew) return; // it was never reported

    if (isFolder(path)) this.#removeTrailingMoves((move) => move.from === null && isWithin(move.path, path));
    const last = this.#lastRelated(path);
    if (last?.from === null && !last.isSent && isWithin(path, last.path)) return; // deleted before, or with its folder
    const position = this.#lastMove.get(path);
    if (position !== undefined && last && last.path === path && last.from !== null && !last.isSent) {
      this.#removeLastMove(path);
      // Renamed, then deleted: the note of the old path is gone since the rename.
      this.#put(position, { path: last.from, from: null, isSent: false });
    } else {
      this.#append({ path, from: null, isSent: false });
    }
  }

  #rename(from: string, path: string): void {
    const wasNew = this.#dirty.get(from) === "created";
    const carried = this.#dirtyFrom(from).map((old) => ({ old, kind: this.#dirty.get(old) ?? "modified" }));
    for (const { old } of carried) this.#dirty.delete(old);
    for (const over of this.#dirtyFrom(path)) this.#dirty.delete(over); // the files there were replaced
    for (const { old, kind } of carried) this.#dirty.set(path + old.slice(from.length), kind);
    if (wasNew) return; // a new note, reported under its final path

    const last = this.#lastRelated(from, path);
    if (last && covers(last, from, path)) return; // covered by its folder's rename
    if (isFolder(path)) this.#removeTrailingMoves((move) => move.from !== null && covers({ path, from }, move.from, move.path));
    const position = this.#lastMove.get(from);
    if (position !== undefined && last && last.path === from && last.from !== null && !last.isSent) {
      this.#removeLastMove(from);
      if (last.from !== path) this.#put(position, { path, from: last.from, isSent: false });
    } else {
      this.#append({ path, from, isSent: false });
    }
  }

  // --- the list of moves --------------------------------------------------------------------------

  #append(move: Move): void {
    this.#moves.push(null);
    this.#put(this.#moves.length - 1, move);
  }

  #put(position: number, move: Move): void {
    this.#moves[position] = move;
    for (const path of namesOf(move)) {
      this.#lastMove.set(path, Math.max(position, this.#lastMove.get(path) ?? 0));
    }
  }

  /** Removes the last move that names `path`. */
  #removeLastMove(path: string): void {
    const position = this.#lastMove.get(path);
    const move = this.#moveAt(position);
    if (position === undefined || !move) return;
    this.#moves[position] = null;
    for (const name of namesOf(move)) this.#unlink(name, position);
  }

  /** Sets `lastMove` of a path to the last move before `position` that names it. */
  #unlink(name: string, position: number): void {
    if (this.#lastMove.get(name) !== position) return;
    this.#lastMove.delete(name);
    for (let index = position - 1; index >= 0; index -= 1) {
      const move = this.#moveAt(index);
      if (move && namesOf(move).includes(name)) {
        this.#lastMove.set(name, index);
        return;
      }
    }
  }

  /** Removes the latest moves as long as they match: the events of single files just before their folder's event. */
  #removeTrailingMoves(matches: (move: Move) => boolean): void {
    let end = this.#moves.length;
    for (; end > 0; end -= 1) {
      const move = this.#moveAt(end - 1);
      if (move && (move.isSent || !matches(move))) break;
    }
    if (end < this.#moves.length) this.#replaceMoves(this.#moves.slice(0, end));
  }

  #replaceMoves(moves: readonly (Move | null)[]): void {
    this.#moves = [];
    this.#lastMove.clear();
    for (const move of moves) if (move) this.#append(move);
  }

  #moveAt(position: number | undefined): Move | null {
    return position === undefined ? null : (this.#moves[position] ?? null);
  }

  /** The last move that names one of the paths, a parent folder or a descendant of it. */
  #lastRelated(...paths: readonly string[]): Move | null {
    let last = -1;
    for (const path of paths) {
      for (const name of withParents(path)) last = Math.max(last, this.#lastMove.get(name) ?? -1);
      if (!isFolder(path)) continue; // only folders have descendants, and they are rare
      for (const [name, position] of this.#lastMove) if (isWithin(name, path)) last = Math.max(last, position);
    }
    return this.#moveAt(last);
  }

  #dirtyFrom(path: string): readonly string[] {
    if (!isFolder(path)) return this.#dirty.has(path) ? [path] : [];
    return [...this.#dirty.keys()].filter((name) => isWithin(name, path));
  }
}

function toChange({ path, from }: Move): Change {
  return from === null ? { kind: "deleted", path } : { kind: "renamed", path, oldPath: from };
}

function namesOf({ path, from }: Move): readonly string[] {
  return from === null ? [path] : [path, from];
}

/** Whether the folder's rename `move` also renamed `from` to `path`. */
function covers(move: { readonly path: string; readonly from: string | null }, from: string, path: string): boolean {
  if (move.from === null || !isWithin(from, move.from)) return false;
  return path === move.path + from.slice(move.from.length);
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function isFolder(path: string): boolean {
  return kindOf(path) === null;
}

function withParents(path: string): readonly string[] {
  const names = [path];
  for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) names.push(path.slice(0, cut));
  return names;
}
