/**
 * The list of the index inspector: the folders of the vault as a tree whose branches are asked for when they are
 * opened; or, for one state, its notes one below the other. No DOM, no Obsidian.
 */
import { type FolderState, type InspectFoldersParams, type InspectFoldersResult, type InspectNotesParams, type InspectNotesResult, LIMITS, type NoteState, type NoteStateEntry } from "../protocol/messages";
import { type Failure, type Reply } from "../sidecar/failure";

export interface TreeSource {
  readonly folders: (params: InspectFoldersParams) => Promise<Reply<InspectFoldersResult>>;
  readonly notes: (params: InspectNotesParams) => Promise<Reply<InspectNotesResult>>;
}

export type TreeRow =
  | { readonly kind: "folder"; readonly level: number; readonly folder: FolderState; readonly isOpen: boolean }
  | { readonly kind: "note"; readonly level: number; readonly note: NoteStateEntry; readonly withFolder: boolean }
  /** Shows the next page of `of`; `left` rows are not shown yet. */
  | { readonly kind: "more"; readonly level: number; readonly of: string; readonly left: number };

interface Branch {
  readonly folders: readonly FolderState[];
  readonly folderTotal: number;
  readonly notes: readonly NoteStateEntry[];
  readonly noteTotal: number;
}

export const PAGE = 200;
const ROOT = "";

export class InspectorTree {
  /** The whole vault; null before the first answer. */
  vault: FolderState | null = null;
  failure: Failure | null = null;
  /** The state whose notes are shown alone; null: all folders. */
  filter: NoteState | null = null;
  readonly #open = new Set<string>([ROOT]);
  readonly #branches = new Map<string, Branch>();
  #turn = 0;

  constructor(private readonly source: TreeSource) {}

  rows(): readonly TreeRow[] {
    return this.#rowsOf(ROOT, 1);
  }

  /** Shows the notes in `state` alone, or all folders; resolves when they are there. */
  async show(state: NoteState | null): Promise<void> {
    this.filter = state;
    this.#branches.clear();
    await this.refresh();
  }

  async toggle(folder: string): Promise<void> {
    if (this.#open.delete(folder)) return;
    this.#open.add(folder);
    if (!this.#branches.has(folder)) await this.#load(folder, this.#turn);
  }

  async more(of: string): Promise<void> {
    await this.#load(of, this.#turn, PAGE);
  }

  /** Asks again for all that is shown. An older refresh that is still under way ends without effect. */
  async refresh(): Promise<void> {
    const turn = (this.#turn += 1);
    const wanted = this.filter === null ? [...this.#open] : [ROOT];
    for (const folder of wanted) {
      if (turn === this.#turn) await this.#load(folder, turn);
    }
  }

  #rowsOf(folder: string, level: number): readonly TreeRow[] {
    const branch = this.#branches.get(folder);
    if (!branch) return [];
    const rows: TreeRow[] = [];
    for (const child of branch.folders) {
      const isOpen = this.#open.has(child.path);
      rows.push({ kind: "folder", level, folder: child, isOpen });
      if (isOpen) rows.push(...this.#rowsOf(child.path, level + 1));
    }
    for (const note of branch.notes) rows.push({ kind: "note", level, note, withFolder: this.filter !== null });
    const left = branch.folderTotal - branch.folders.length + branch.noteTotal - branch.notes.length;
    if (left > 0) rows.push({ kind: "more", level, of: folder, left });
    return rows;
  }

  /** Loads what is shown of `folder` and `further` rows: its folders first, then its notes. */
  async #load(folder: string, turn: number, further = 0): Promise<void> {
    const before = this.#branches.get(folder);
    const state = this.filter;
    const isCurrent = (): boolean => turn === this.#turn;
    const wanted = (count = 0): number => Math.max(PAGE, count + further);
    const folders = await pages((page) => this.source.folders({ folder, ...page }), (reply) => reply.folders, state === null ? wanted(before?.folders.length) : 0, isCurrent);
    const notes = await pages((page) => this.source.notes({ folder, state, below: state !== null, ...page }), (reply) => reply.notes, wanted(before?.notes.length), isCurrent);
    if (!isCurrent()) return;
    this.failure = folders.failure ?? notes.failure;
    if (!folders.first || !notes.first) return;
    if (folder === ROOT) this.vault = folders.first.folder;
    this.#branches.set(folder, { folders: folders.rows, folderTotal: state === null ? folders.total : 0, notes: notes.rows, noteTotal: notes.total });
  }
}

interface Pages<Result, Row> {
  /** Null where not even the first page was answered. */
  readonly first: Result | null;
  readonly failure: Failure | null;
  readonly rows: readonly Row[];
  readonly total: number;
}

/** The first `wanted` rows, page by page, as far as there are so many and they are answered while `isCurrent`. */
async function pages<Result extends { readonly total: number }, Row>(
  ask: (page: { readonly offset: number; readonly limit: number }) => Promise<Reply<Result>>,
  rowsOf: (result: Result) => readonly Row[],
  wanted: number,
  isCurrent: () => boolean,
): Promise<Pages<Result, Row>> {
  let found: Pages<Result, Row> = { first: null, failure: null, rows: [], total: wanted };
  do {
    const offset = found.rows.length;
    const reply = await ask({ offset, limit: Math.min(LIMITS.maxPage, wanted - offset) });
    if (!reply.ok) return found.first ? found : { ...found, failure: reply.failure };
    const rows = rowsOf(reply.value);
    found = { first: found.first ?? reply.value, failure: null, rows: [...found.rows, ...rows], total: reply.value.total };
    if (rows.length === 0) break;
  } while (found.rows.length < Math.min(wanted, found.total) && isCurrent());
  return found;
}

/** What identifies a row while the list changes around it. */
export function rowKey(row: TreeRow): string {
  switch (row.kind) {
    case "folder":
      return `f:${row.folder.path}`;
    case "note":
      return `n:${row.note.path}`;
    case "more":
      return `m:${row.of}`;
  }
}
