/**
 * Obsidian's vault events as `Change` values, for folders and for files that may be searched. The engine leaves out those
 * of a kind that is switched off.
 */
import { type EventRef, type TAbstractFile, TFile, TFolder, type Vault } from "obsidian";
import { kindOf } from "../document-kind";
import { type Change } from "../protocol/messages";

/**
 * Reports changes until the returned references are released. Call it after layout-ready: before that, Obsidian reports
 * every file of the vault as created.
 */
export function watchVault(vault: Vault, report: (change: Change) => void): readonly EventRef[] {
  return [
    vault.on("create", (file) => {
      if (isNote(file)) report({ kind: "created", path: toNfc(file.path) });
    }),
    vault.on("modify", (file) => {
      if (isNote(file)) report({ kind: "modified", path: toNfc(file.path) });
    }),
    vault.on("delete", (file) => {
      if (isNote(file) || file instanceof TFolder) report({ kind: "deleted", path: toNfc(file.path) });
    }),
    vault.on("rename", (file, oldPath) => {
      const change = renameOf(file, oldPath);
      if (change) report(change);
    }),
  ];
}

/** A rename can turn a file into a note, or a note into another file, by its extension. */
function renameOf(file: TAbstractFile, oldPath: string): Change | null {
  const path = toNfc(file.path);
  const from = toNfc(oldPath);
  if (file instanceof TFolder) return { kind: "renamed", path, oldPath: from };
  const wasNote = kindOf(from) !== null;
  if (isNote(file)) return wasNote ? { kind: "renamed", path, oldPath: from } : { kind: "created", path };
  return wasNote ? { kind: "deleted", path: from } : null;
}

function isNote(file: TAbstractFile): boolean {
  return file instanceof TFile && kindOf(file.path) !== null;
}

/** Paths on the wire are NFC; macOS stores accents decomposed. */
function toNfc(path: string): string {
  return path.normalize("NFC");
}
