/** The kinds of files that are searched, by extension alone, as in the engine. Pure. */
import { type Hit } from "./protocol/messages";

export type DocumentKind = Hit["kind"];

const SUFFIX = /\.(md|canvas|pdf)$/iu;
const KINDS: Readonly<Record<string, DocumentKind>> = { md: "note", canvas: "canvas", pdf: "pdf" };

/** The kind of the file at `path`; null for a folder and for a file that is not searched. */
export function kindOf(path: string): DocumentKind | null {
  return KINDS[SUFFIX.exec(path)?.[1]?.toLowerCase() ?? ""] ?? null;
}

/** `path` without the extension of its kind. */
export function withoutSuffix(path: string): string {
  return path.replace(SUFFIX, "");
}

/** The page of a PDF file that an anchor leads to; null for any other anchor. */
export function pageOf(anchor: string | null): string | null {
  return /^page=(\d+)$/u.exec(anchor ?? "")?.[1] ?? null;
}
