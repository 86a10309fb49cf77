/** Numbers, counts and sentences as every wording of the plugin writes them. Pure. */

export function sentences(...parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1) + (/[.?!]$/.test(part) ? "" : "."))
    .join(" ");
}

export function notes(count: number): string {
  return count === 1 ? "1 note" : `${number(count)} notes`;
}

export function seconds(ms: number): string {
  return `${number(Math.ceil(ms / 1000))} s`;
}

let numbers: Intl.NumberFormat | null = null; // `toLocaleString` looks its language up anew, .1 ms each time

export function number(value: number): string {
  numbers ??= new Intl.NumberFormat("en-US");
  return numbers.format(value);
}
