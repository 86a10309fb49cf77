/** How the plugin writes numbers, counts and sentences. Pure. */

/** Joins *parts* as sentences: each with a capital and a full stop, empty ones left out. */
export function joinSentences(...parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1) + (/[.?!]$/.test(part) ? "" : "."))
    .join(" ");
}

export function noteCount(count: number): string {
  return count === 1 ? "1 note" : `${number(count)} notes`;
}

export function seconds(ms: number): string {
  return `${number(Math.ceil(ms / 1000))} s`;
}

let formatter: Intl.NumberFormat | null = null; // kept, because `toLocaleString` looks up the language each time, .1 ms

export function number(value: number): string {
  formatter ??= new Intl.NumberFormat("en-US");
  return formatter.format(value);
}
