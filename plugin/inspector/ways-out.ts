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

/** The reasons that one thing helps against, whatever the note and the settings are. */
const REASONS = {
  "index-templates": ["reason.templates"],
  "open-app-settings": ["reason.obsidian-excluded"],
  "open-settings": ["reason.kind-off", "reason.settings", "reason.status", "reason.any-status"],
  open: ["reason.too-large", "reason.too-many-passages", "reason.front-matter", "reason.damaged", "reason.locked", "reason.no-text", "reason.sensitivity"],
  retry: ["reason.changed", "reason.crash", "reason.defect", "reason.link", "reason.name", "reason.new", "reason.not-a-file", "reason.other", "reason.unreadable"],
} as const satisfies Record<Exclude<WayOut["kind"], "include">, readonly string[]>;

/** The way out of one reason; null where there is none but what the reason says. */
export function wayOut(path: string, state: ReportState, { code, args: { entry } }: Message): WayOut | null {
  if (code === "reason.folders-exclude") return typeof entry === "string" ? { kind: "include", folder: entry } : null;
  if (code === "reason.folders-include") return path.includes("/") ? { kind: "include", folder: folderOf(path) } : { kind: "open-settings" };
  const kinds = Object.keys(REASONS) as (keyof typeof REASONS)[];
  const kind = kinds.find((each) => REASONS[each].some((reason) => reason === code)) ?? null;
  return kind === null || (kind === "retry" && state === "excluded") ? null : { kind };
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
