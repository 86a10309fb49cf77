/**
 * What is left to tell of a burst of changes. Pure: no clock, no vault.
 *
 * A rename carries a note's identity, and with it the vectors, from path to path; its place in the order matters. A
 * created or modified path only says "read this again", so it may be told last, once, under the name it has by then.
 * The queue keeps the two apart:
 *
 *     moves   renames and deletions, in order
 *     dirty   paths to read again, told after all moves
 *
 * A name ends in `.md` or is a folder's; one move of a folder stands for everything below it.
 */
import { type Change } from "../protocol/messages";

type Dirt = "created" | "modified";

interface Move {
  readonly path: string;
  /** Null: deleted. */
  readonly from: string | null;
  /** It was sent once and may have been applied, so it stays as it is: a later change cannot be folded into it. */
  readonly isSent: boolean;
}

export class ChangeQueue {
  /** Emptied places stay as null, so that positions in `lastMove` hold. */
  private moves: (Move | null)[] = [];
  private dirty = new Map<string, Dirt>();
  /** Path -> position of the last move that names it. */
  private lastMove = new Map<string, number>();

  get isEmpty(): boolean {
    return this.dirty.size === 0 && this.moves.every((move) => move === null);
  }

  add(change: Change): void {
    switch (change.kind) {
      case "created":
        this.create(change.path);
        return;
      case "modified":
        if (!this.dirty.has(change.path)) this.dirty.set(change.path, "modified");
        return;
      case "deleted":
        this.remove(change.path);
        return;
      case "renamed":
        if (typeof change.oldPath === "string" && change.oldPath !== change.path) this.rename(change.oldPath, change.path);
        return;
    }
  }

  /** Empties the queue: at most `limit` changes, in an order that holds when told one after the other. */
  take(limit: number): readonly Change[] {
    const moves = this.moves.filter((move) => move !== null);
    const taken: Change[] = moves.slice(0, limit).map(told);
    this.keepMoves(moves.slice(limit));
    for (const [path, kind] of this.dirty) {
      if (taken.length >= limit) break;
      taken.push({ kind, path });
      this.dirty.delete(path);
    }
    return taken;
  }

  /** Puts a batch that did not arrive, or may not have, back before everything that came since. */
  putBack(batch: readonly Change[]): void {
    const since = this.take(Infinity);
    this.keepMoves(batch.filter(isMove).map(({ path, oldPath }) => ({ path, from: oldPath ?? null, isSent: true })));
    // "modified", even where it said "created": it may be known by now, and then its deletion must be told.
    for (const { kind, path } of batch) if (kind === "created" || kind === "modified") this.dirty.set(path, "modified");
    for (const change of since) this.add(change);
  }

  // --- one kind each ------------------------------------------------------------------------------

  private create(path: string): void {
    const last = this.lastRelated(path);
    if (last?.path === path && last.from === null && !last.isSent) {
      this.erase(path); // deleted and created again, as many programs save: it was replaced
      this.dirty.set(path, "modified");
    } else if (!this.dirty.has(path)) {
      this.dirty.set(path, "created");
    }
  }

  private remove(path: string): void {
    const wasNew = this.dirty.get(path) === "created";
    for (const below of this.dirtyFrom(path)) this.dirty.delete(below);
    if (wasNew) return; // nobody has heard of it

    if (isFolder(path)) this.eraseTail((move) => move.from === null && isWithin(move.path, path));
    const last = this.lastRelated(path);
    if (last?.from === null && !last.isSent && isWithin(path, last.path)) return; // gone already, or with its folder
    const position = this.lastMove.get(path);
    if (position !== undefined && last && last.path === path && last.from !== null && !last.isSent) {
      this.erase(path);
      // Moved, then deleted: what is gone is the note of the old name, and it went when it was moved.
      this.put(position, { path: last.from, from: null, isSent: false });
    } else {
      this.append({ path, from: null, isSent: false });
    }
  }

  private rename(from: string, path: string): void {
    const wasNew = this.dirty.get(from) === "created";
    const carried = this.dirtyFrom(from).map((old) => ({ old, kind: this.dirty.get(old) ?? "modified" }));
    for (const { old } of carried) this.dirty.delete(old);
    for (const over of this.dirtyFrom(path)) this.dirty.delete(over); // what stood there has been replaced
    for (const { old, kind } of carried) this.dirty.set(path + old.slice(from.length), kind);
    if (wasNew) return; // a new note under its final name

    const last = this.lastRelated(from, path);
    if (last && covers(last, from, path)) return; // its folder's move said so
    if (isFolder(path)) this.eraseTail((move) => move.from !== null && covers({ path, from }, move.from, move.path));
    const position = this.lastMove.get(from);
    if (position !== undefined && last && last.path === from && last.from !== null && !last.isSent) {
      this.erase(from);
      if (last.from !== path) this.put(position, { path, from: last.from, isSent: false });
    } else {
      this.append({ path, from, isSent: false });
    }
  }

  // --- the list of moves --------------------------------------------------------------------------

  private append(move: Move): void {
    this.moves.push(null);
    this.put(this.moves.length - 1, move);
  }

  private put(position: number, move: Move): void {
    this.moves[position] = move;
    for (const path of namesOf(move)) {
      this.lastMove.set(path, Math.max(position, this.lastMove.get(path) ?? 0));
    }
  }

  /** Takes back the last move that names `path`. */
  private erase(path: string): void {
    const position = this.lastMove.get(path);
    const move = this.moveAt(position);
    if (position === undefined || !move) return;
    this.moves[position] = null;
    for (const name of namesOf(move)) this.forget(name, position);
  }

  /** Points `lastMove` of a name at the move before `position` that names it. */
  private forget(name: string, position: number): void {
    if (this.lastMove.get(name) !== position) return;
    this.lastMove.delete(name);
    for (let index = position - 1; index >= 0; index -= 1) {
      const move = this.moveAt(index);
      if (move && namesOf(move).includes(name)) {
        this.lastMove.set(name, index);
        return;
      }
    }
  }

  /** Takes back the latest moves as long as they match: the single events that came just before their folder's. */
  private eraseTail(matches: (move: Move) => boolean): void {
    let end = this.moves.length;
    for (; end > 0; end -= 1) {
      const move = this.moveAt(end - 1);
      if (move && (move.isSent || !matches(move))) break;
    }
    if (end < this.moves.length) this.keepMoves(this.moves.slice(0, end));
  }

  private keepMoves(moves: readonly (Move | null)[]): void {
    this.moves = [];
    this.lastMove.clear();
    for (const move of moves) if (move) this.append(move);
  }

  private moveAt(position: number | undefined): Move | null {
    return position === undefined ? null : (this.moves[position] ?? null);
  }

  /** The last move that names one of the paths, a folder above it or something below it. */
  private lastRelated(...paths: readonly string[]): Move | null {
    let last = -1;
    for (const path of paths) {
      for (const name of withFoldersAbove(path)) last = Math.max(last, this.lastMove.get(name) ?? -1);
      if (!isFolder(path)) continue; // only folders have something below, and they are rare
      for (const [name, position] of this.lastMove) if (isWithin(name, path)) last = Math.max(last, position);
    }
    return this.moveAt(last);
  }

  private dirtyFrom(path: string): readonly string[] {
    if (!isFolder(path)) return this.dirty.has(path) ? [path] : [];
    return [...this.dirty.keys()].filter((name) => isWithin(name, path));
  }
}

function told({ path, from }: Move): Change {
  return from === null ? { kind: "deleted", path } : { kind: "renamed", path, oldPath: from };
}

function isMove({ kind }: Change): boolean {
  return kind === "renamed" || kind === "deleted";
}

function namesOf({ path, from }: Move): readonly string[] {
  return from === null ? [path] : [path, from];
}

/** Whether moving a folder, as `move` says, also moved `from` to `path`. */
function covers(move: { readonly path: string; readonly from: string | null }, from: string, path: string): boolean {
  if (move.from === null || !isWithin(from, move.from)) return false;
  return path === move.path + from.slice(move.from.length);
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function isFolder(path: string): boolean {
  return !path.endsWith(".md");
}

function withFoldersAbove(path: string): readonly string[] {
  const names = [path];
  for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) names.push(path.slice(0, cut));
  return names;
}
