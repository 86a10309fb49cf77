/** Obsidian's vault events as `Change` values. Notes and folders only: nothing else is indexed. */
import { type EventRef, type TAbstractFile, TFile, TFolder, type Vault } from "obsidian";
import { type Change } from "../protocol/messages";

/**
 * Listens until the returned references are let go. Call it after layout-ready: before that, Obsidian reports every
 * file of the vault as created.
 */
export function watchVault(vault: Vault, report: (change: Change) => void): readonly EventRef[] {
  return [
    vault.on("create", (file) => {
      if (isNote(file)) report({ kind: "created", path: onTheWire(file.path) });
    }),
    vault.on("modify", (file) => {
      if (isNote(file)) report({ kind: "modified", path: onTheWire(file.path) });
    }),
    vault.on("delete", (file) => {
      if (isNote(file) || file instanceof TFolder) report({ kind: "deleted", path: onTheWire(file.path) });
    }),
    vault.on("rename", (file, oldPath) => {
      const change = renameOf(file, oldPath);
      if (change) report(change);
    }),
  ];
}

/** A file can become a note, or stop being one, by its new ending. */
function renameOf(file: TAbstractFile, oldPath: string): Change | null {
  const path = onTheWire(file.path);
  const from = onTheWire(oldPath);
  if (file instanceof TFolder) return { kind: "renamed", path, oldPath: from };
  const wasNote = from.endsWith(".md");
  if (isNote(file)) return wasNote ? { kind: "renamed", path, oldPath: from } : { kind: "created", path };
  return wasNote ? { kind: "deleted", path: from } : null;
}

function isNote(file: TAbstractFile): boolean {
  return file instanceof TFile && file.extension === "md";
}

/** macOS spells accents in two characters; the wire in one. */
function onTheWire(path: string): string {
  return path.normalize("NFC");
}
