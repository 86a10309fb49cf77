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
  #shown: NoteState | null = null;
  readonly #open = new Set<string>([ROOT]);
  readonly #branches = new Map<string, Branch>();
  #turn = 0;

  constructor(private readonly source: TreeSource) {}

  get filter(): NoteState | null {
    return this.#shown;
  }

  rows(): readonly TreeRow[] {
    return this.#rowsOf(ROOT, 1);
  }

  /** Shows the notes in `state` alone, or all folders; resolves when they are there. */
  async show(state: NoteState | null): Promise<void> {
    this.#shown = state;
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
    const wanted = this.#shown === null ? [...this.#open] : [ROOT];
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
    for (const note of branch.notes) rows.push({ kind: "note", level, note, withFolder: this.#shown !== null });
    const left = branch.folderTotal - branch.folders.length + branch.noteTotal - branch.notes.length;
    if (left > 0) rows.push({ kind: "more", level, of: folder, left });
    return rows;
  }

  /** Loads what is shown of `folder` and `further` rows: its folders first, then its notes. */
  async #load(folder: string, turn: number, further = 0): Promise<void> {
    const before = this.#branches.get(folder);
    const state = this.#shown;
    const size = (count: number | undefined): number => Math.min(LIMITS.maxPage, Math.max(PAGE, (count ?? 0) + further));
    const folders = await this.source.folders({ folder, limit: state === null ? size(before?.folders.length) : 0 });
    const notes = await this.source.notes({ folder, state, below: state !== null, limit: size(before?.notes.length) });
    if (turn !== this.#turn) return;
    if (!folders.ok || !notes.ok) {
      this.failure = folders.ok ? (notes.ok ? null : notes.failure) : folders.failure;
      return;
    }
    this.failure = null;
    if (folder === ROOT) this.vault = folders.value.folder;
    this.#branches.set(folder, {
      folders: folders.value.folders,
      folderTotal: state === null ? folders.value.total : 0,
      notes: notes.value.notes,
      noteTotal: notes.value.total,
    });
    await this.#beyond(folder, turn, before, further);
  }

  /** What does not fit into one answer is asked for page by page. */
  async #beyond(folder: string, turn: number, before: Branch | undefined, further: number): Promise<void> {
    for (;;) {
      const branch = this.#branches.get(folder);
      if (!branch || turn !== this.#turn) return;
      const wantsFolders = Math.min(branch.folderTotal, (before?.folders.length ?? 0) + further);
      const wantsNotes = Math.min(branch.noteTotal, (before?.notes.length ?? 0) + further);
      if (branch.folders.length < wantsFolders) {
        const page = await this.source.folders({ folder, offset: branch.folders.length, limit: Math.min(LIMITS.maxPage, wantsFolders - branch.folders.length) });
        if (!page.ok || page.value.folders.length === 0 || turn !== this.#turn) return;
        this.#branches.set(folder, { ...branch, folders: [...branch.folders, ...page.value.folders], folderTotal: page.value.total });
      } else if (branch.notes.length < wantsNotes) {
        const page = await this.source.notes({ folder, state: this.#shown, below: this.#shown !== null, offset: branch.notes.length, limit: Math.min(LIMITS.maxPage, wantsNotes - branch.notes.length) });
        if (!page.ok || page.value.notes.length === 0 || turn !== this.#turn) return;
        this.#branches.set(folder, { ...branch, notes: [...branch.notes, ...page.value.notes], noteTotal: page.value.total });
      } else return;
    }
  }
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
