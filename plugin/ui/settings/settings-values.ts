/** Reads the text fields of the settings. Pure. */

/** The folders of a text area, one per line, without leading and trailing slashes. */
export function foldersOf(text: string): string[] {
  const folders = text.split("\n").map((line) => line.trim().replace(/^\/+|\/+$/g, ""));
  return [...new Set(folders.filter((folder) => folder !== ""))];
}

/** The values of `status` in a text field, between commas of any script. */
export function statusesOf(text: string): string[] {
  return [...new Set(text.split(/[,，、]/).map((status) => status.trim()).filter((status) => status !== ""))];
}

/** What a search weighs words and meaning by. */
interface Weights {
  readonly keywordWeight: number;
  readonly denseWeight: number;
}

/** How much of 100 meaning weighs; the rest is the words'. */
export function balanceOf({ keywordWeight, denseWeight }: Weights): number {
  const sum = keywordWeight + denseWeight;
  return sum === 0 ? 50 : Math.round((100 * denseWeight) / sum);
}

/** The weights of a balance; both are 1 in the middle, as they are unless someone sets them. */
export function weightsOf(balance: number): Weights {
  return { keywordWeight: (100 - balance) / 50, denseWeight: balance / 50 };
}

export function isFullPath(path: string): boolean {
  return /^(\/|~[\\/]|[A-Za-z]:[\\/]|\\\\)/.test(path);
}
