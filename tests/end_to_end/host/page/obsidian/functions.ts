/** Obsidian's small functions and constants. */
import { Known } from "../known";

/** The version of the API this host answers for. */
export const apiVersion = "1.13.1";

class PlatformFacts extends Known {
  readonly isDesktopApp = true;

  get isMacOS(): boolean {
    return process.platform === "darwin";
  }

  get isWin(): boolean {
    return process.platform === "win32";
  }
}

export const Platform = new PlatformFacts();

/** One kind of slash, none at either end, no doubled ones, no special spaces, NFC. */
export function normalizePath(path: string): string {
  const slashes = path.replace(/[\\/]+/g, "/").replace(/^\/|\/$/g, "");
  return (slashes || "/").replace(/[\u00a0\u202f]/g, " ").normalize("NFC");
}

type Debounced<T extends unknown[], V> = ((...args: T) => Debounced<T, V>) & { cancel(): Debounced<T, V>; run(): V | void };

/**
 * Call *task* once things have been quiet for *wait* ms, with the newest arguments. With `resetTimer` every call starts
 * the wait anew; without, the first call's wait stands.
 */
export function debounce<T extends unknown[], V>(task: (...args: T) => V, wait = 0, resetTimer = false): Debounced<T, V> {
  let timer: number | undefined;
  let newest: T | undefined;
  const fire = (): V | void => {
    const args = newest;
    stop();
    return args && task(...args);
  };
  const stop = (): void => {
    window.clearTimeout(timer);
    timer = newest = undefined;
  };
  const debounced = ((...args: T) => {
    newest = args;
    if (resetTimer) window.clearTimeout(timer);
    if (resetTimer || timer === undefined) timer = window.setTimeout(fire, wait);
    return debounced;
  }) as Debounced<T, V>;
  debounced.cancel = () => {
    stop();
    return debounced;
  };
  debounced.run = fire;
  return debounced;
}

/** `note#heading|label` -> path and subpath (with its `#`, or empty). */
export function parseLinktext(linktext: string): { path: string; subpath: string } {
  const target = linktext.split("|", 1)[0] ?? "";
  const at = target.indexOf("#");
  return at < 0 ? { path: target, subpath: "" } : { path: target.slice(0, at), subpath: target.slice(at) };
}

export function getLinkpath(linktext: string): string {
  return parseLinktext(linktext).path;
}

/** The language of the app, which Obsidian keeps where this reads it. */
export function getLanguage(): string {
  return window.localStorage.getItem("language") ?? "en";
}

/** A heading as it is written in a link: only what would end the link is taken out. */
export function stripHeadingForLink(heading: string): string {
  return heading.replace(/[#|^:%[\]\\\r\n]/g, " ").replace(/\s+/g, " ").trim();
}

/** Every word of *query* in a text, without case; null where one is missing. */
export function prepareSimpleSearch(query: string): (text: string) => { score: number; matches: [number, number][] } | null {
  const words = query.toLowerCase().split(" ").filter((word) => word !== "");
  return (text) => {
    const places = words.map((word) => occurrences(text.toLowerCase(), word));
    return places.some(({ length }) => length === 0) ? null : { score: 0, matches: places.flat() };
  };
}

function occurrences(text: string, word: string): [number, number][] {
  const found: [number, number][] = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) found.push([at, at + word.length]);
  return found;
}
