/**
 * The sentence for a key, or for a message of the engine, in the user's language. It is chosen once, when the plugin loads.
 *
 * Each language is a file of `locales/` in the sidecar, whose README has the rules. `sidecar/quarry/messages.py` renders
 * English by the same ones.
 */
import { type Message } from "../protocol/messages";
import de from "../../sidecar/quarry/locales/de.json";
import en from "../../sidecar/quarry/locales/en.json";
import ja from "../../sidecar/quarry/locales/ja.json";
import zh from "../../sidecar/quarry/locales/zh.json";

type English = typeof en;
export type Key = keyof English;
type PluralKey = { [K in Key]: English[K] extends string ? never : K }[Key];

/** A number is written as the language writes it; a number that is a name (a process id, a year) goes in as a string. */
export type Args = Readonly<Record<string, Argument>>;
type Argument = string | number | Message | readonly (string | Message)[];
export type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;
type Text = string | Forms | null | undefined;
export type Catalogue = Readonly<Record<string, Text>>;

const CATALOGUES: Readonly<Record<string, Catalogue>> = { en, de, ja, zh };
const ENGLISH: Catalogue = en;

let language = "en";
let words = ENGLISH;
let plurals: Intl.PluralRules | null = null; // the formatters are made when first used, because each takes .1 ms or more
let numbers: Intl.NumberFormat | null = null;

/** Speaks the language of *tag*, as Obsidian names it, or English where there is no translation. */
export function chooseLanguage(tag: string): void {
  language = languageOf(tag);
  words = CATALOGUES[nameOf(language)] ?? ENGLISH;
  plurals = numbers = null;
}

/** The language that is spoken, for the formatters of `Intl`. */
export function currentLanguage(): string {
  return language;
}

/** Those who read traditional characters get English: it is not for us to say that simplified ones will do. */
function languageOf(tag: string): string {
  if (/^zh(-(hans.*|cn|sg))?$/i.test(tag)) return "zh";
  const name = nameOf(tag);
  return name !== "zh" && Object.hasOwn(CATALOGUES, name) ? tag : "en";
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
  if (entry == null) return null;
  const text = typeof entry === "string" ? entry : formOf(entry, Number(args["count"]));
  return text.replace(/\{(\w+)(?::(\w+))?\}/g, (placeholder, name: string, joinedBy?: string) => shown(args[name] ?? placeholder, joinedBy));
}

/** A message of the engine; the code itself where it is unknown, as one of a newer engine may be. */
export function say({ code, args }: Message): string {
  return translated(code, args) ?? code;
}

function shown(value: Argument, joinedBy?: string): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return number(value);
  if (!isArray(value)) return say(value);
  if (joinedBy === undefined) return value.map((part) => shown(part)).join(t("row.listSeparator"));
  const parts = value.map((part) => (typeof part === "string" ? t("word.quoted", { text: part }) : say(part)));
  return new Intl.ListFormat(language, { type: joinedBy === "or" ? "disjunction" : "conjunction" }).format(parts);
}

function isArray<E>(value: string | number | object | readonly E[]): value is readonly E[] {
  return Array.isArray(value);
}

function formOf(forms: Forms, count: number): string {
  plurals ??= new Intl.PluralRules(language);
  return forms[plurals.select(count)] ?? forms.other;
}

export function number(value: number): string {
  numbers ??= new Intl.NumberFormat(language);
  return numbers.format(value);
}
