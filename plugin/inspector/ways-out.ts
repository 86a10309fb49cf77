/** What a user can do about a note that is not found. Pure. */
import { type Reason, type ReportState, type Settings } from "../protocol/messages";

export type WayOut =
  /** Takes a folder into the index again: the one that an entry of the settings names, or the note's own. */
  | { readonly kind: "include"; readonly folder: string }
  | { readonly kind: "index-templates" }
  /** Looks at the file once more. */
  | { readonly kind: "retry" }
  | { readonly kind: "open" }
  | { readonly kind: "open-settings" }
  /** Obsidian's own settings, where its excluded files are listed. */
  | { readonly kind: "open-app-settings" };

/** The way out of one reason; null where there is none but what the reason says. */
export function wayOut(path: string, state: ReportState, { code, entry }: Reason): WayOut | null {
  switch (code) {
    case "folders-exclude":
      return entry === null ? null : { kind: "include", folder: entry };
    case "folders-include":
      return path.includes("/") ? { kind: "include", folder: folderOf(path) } : { kind: "open-settings" };
    case "templates":
      return { kind: "index-templates" };
    case "obsidian-excluded":
      return { kind: "open-app-settings" };
    case "kind-off":
    case "settings":
    case "status":
      return { kind: "open-settings" };
    case "too-large":
    case "too-many-passages":
    case "front-matter":
    case "damaged":
    case "locked":
    case "no-text":
    case "sensitivity":
      return { kind: "open" };
    case "hidden":
    case "not-markdown":
    case "drawing":
    case "index-ignore":
    case "gone":
    case "unknown":
      return null;
    case "changed":
    case "crash":
    case "defect":
    case "link":
    case "name":
    case "new":
    case "not-a-file":
    case "other":
    case "unreadable":
      return state === "excluded" ? null : { kind: "retry" };
  }
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** The entry of the settings that leaves `folder` out, to be taken in again; null where none does. */
export function excludingEntry({ excludeFolders, includeFolders }: Pick<Settings, "excludeFolders" | "includeFolders">, folder: string): string | null {
  const entry = excludeFolders.find((each) => holds(each, folder));
  if (entry !== undefined) return entry;
  return includeFolders.length > 0 && !includeFolders.some((each) => holds(each, folder) || holds(folder, each)) ? folder : null;
}

function holds(entry: string, folder: string): boolean {
  return prefix(folder).startsWith(prefix(entry));
}

function prefix(folder: string): string {
  return `${folder.normalize("NFC").toLowerCase()}/`;
}
