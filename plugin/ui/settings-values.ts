/** What do the text fields of the settings say? Pure. */

/** The folders of a text area, one per line, without leading and trailing slashes. */
export function foldersOf(text: string): string[] {
  const folders = text.split("\n").map((line) => line.trim().replace(/^\/+|\/+$/g, ""));
  return [...new Set(folders.filter((folder) => folder !== ""))];
}

/** The values of `status` in a text field, between commas of any script. */
export function statusesOf(text: string): string[] {
  return [...new Set(text.split(/[,，、]/).map((status) => status.trim()).filter((status) => status !== ""))];
}

/** Parses a weight; null when it is invalid. */
export function weightOf(text: string): number | null {
  const weight = text.trim() === "" ? NaN : Number(text.replace(",", "."));
  return weight >= 0 && weight <= 100 ? weight : null;
}

export function isFullPath(path: string): boolean {
  return /^(\/|~[\\/]|[A-Za-z]:[\\/]|\\\\)/.test(path);
}
