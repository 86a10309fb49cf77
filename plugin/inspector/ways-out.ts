/** What a user can do about a note that is not found. Pure. */
import { type Message, type ReportState, type Settings } from "../protocol/messages";

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
export function wayOut(path: string, state: ReportState, { code, args: { entry } }: Message): WayOut | null {
  switch (code) {
    case "reason.folders-exclude":
      return typeof entry !== "string" ? null : { kind: "include", folder: entry };
    case "reason.folders-include":
      return path.includes("/") ? { kind: "include", folder: folderOf(path) } : { kind: "open-settings" };
    case "reason.templates":
      return { kind: "index-templates" };
    case "reason.obsidian-excluded":
      return { kind: "open-app-settings" };
    case "reason.kind-off":
    case "reason.settings":
    case "reason.status":
    case "reason.any-status":
      return { kind: "open-settings" };
    case "reason.too-large":
    case "reason.too-many-passages":
    case "reason.front-matter":
    case "reason.damaged":
    case "reason.locked":
    case "reason.no-text":
    case "reason.sensitivity":
      return { kind: "open" };
    case "reason.changed":
    case "reason.crash":
    case "reason.defect":
    case "reason.link":
    case "reason.name":
    case "reason.new":
    case "reason.not-a-file":
    case "reason.other":
    case "reason.unreadable":
      return state === "excluded" ? null : { kind: "retry" };
    default:
      return null;
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
