/**
 * Which sentence stands for a key in the user's language? The language is chosen once, when the plugin loads.
 *
 * Each language is a file of `locales/`: data only, with `{name}` where an argument stands, and an object of forms by the
 * categories of `Intl.PluralRules` where a count decides about the sentence. English defines the keys. In `main.js` the
 * translations are packed (`esbuild.locales.mjs`).
 */
import de from "./locales/de.json";
import en from "./locales/en.json";
import ja from "./locales/ja.json";
import zh from "./locales/zh.json";

type English = typeof en;
export type Key = keyof English;
type PluralKey = { [K in Key]: English[K] extends string ? never : K }[Key];

/** A number is written as the language writes it; a number that is a name (a process id, a year) goes in as a string. */
export type Args = Readonly<Record<string, string | number>>;
export type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;
export type Catalogue = Readonly<Record<string, string | Forms>>;

const ENGLISH: Catalogue = en;
const TRANSLATIONS: Readonly<Record<string, Catalogue | string>> = { de, ja, zh };

let language = "en";
let words = ENGLISH;
let plurals: Intl.PluralRules | null = null; // the formatters are made when first used, because each takes .1 ms or more
let numbers: Intl.NumberFormat | null = null;

/** Speaks the language of *tag*, as Obsidian names it, or English where there is no translation. *unpack* reads a packed one. */
export function chooseLanguage(tag: string, unpack = (packed: string): string => packed): void {
  language = languageOf(tag);
  const chosen = TRANSLATIONS[nameOf(language)] ?? ENGLISH;
  words = typeof chosen === "string" ? catalogueOf(unpack(chosen)) : chosen;
  plurals = numbers = null;
}

/** The catalogue whose texts are in the order of English's keys. */
function catalogueOf(json: string): Catalogue {
  const texts = JSON.parse(json) as readonly (string | Forms)[];
  return Object.fromEntries(Object.keys(ENGLISH).map((key, at) => [key, texts[at] ?? ""]));
}

/** The language that is spoken, for the formatters of `Intl`. */
export function currentLanguage(): string {
  return language;
}

/** Those who read traditional characters get English: it is not for us to say that simplified ones will do. */
function languageOf(tag: string): string {
  if (/^zh(-(hans.*|cn|sg))?$/i.test(tag)) return "zh";
  const name = nameOf(tag);
  return name === "en" || (name !== "zh" && Object.hasOwn(TRANSLATIONS, name)) ? tag : "en";
}

function nameOf(tag: string): string {
  return tag.split("-")[0] ?? "";
}

/** The text of *key*; one with plural forms needs a `count`. */
export function t<K extends Key>(key: K, ...[args]: K extends PluralKey ? [args: Args & { readonly count: number }] : [args?: Args]): string {
  return translated(key, args) ?? key;
}

/** The text of a key that may be unknown, such as one that a newer engine sent; null where it is. */
export function translated(key: string, args: Args = {}): string | null {
  const entry = words[key] ?? ENGLISH[key];
  if (entry === undefined) return null;
  const text = typeof entry === "string" ? entry : formOf(entry, Number(args["count"]));
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = args[name] ?? placeholder;
    return typeof value === "number" ? number(value) : value;
  });
}

function formOf(forms: Forms, count: number): string {
  plurals ??= new Intl.PluralRules(language);
  return forms[plurals.select(count)] ?? forms.other;
}

export function number(value: number): string {
  numbers ??= new Intl.NumberFormat(language);
  return numbers.format(value);
}
