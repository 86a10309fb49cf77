/** How does the plugin write counts, lists, dates and sentences in the user's language? Pure. */
import { currentLanguage, t } from "./translate";

const FULL_WIDTH = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u;

/** Joins *parts* as sentences: each with a capital and a full stop, empty ones left out. */
export function joinSentences(...parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1) + stopAfter(part))
    .reduce((text, sentence) => text + (text === "" || /[。？！]$/.test(text) ? "" : " ") + sentence, "");
}

function stopAfter(sentence: string): string {
  if (/[.?!…。？！]$/.test(sentence)) return "";
  const isFullWidth = /^(ja|zh)/.test(currentLanguage()) ? FULL_WIDTH.test(sentence) : FULL_WIDTH.test(sentence.slice(-1)); // there, a name in Latin letters may end a sentence
  return isFullWidth ? "。" : ".";
}

/** Joins facts that stand beside each other; empty ones are left out. */
export function joinFacts(...facts: readonly string[]): string {
  return facts.filter((fact) => fact !== "").join(" · ");
}

export function plainList(words: readonly string[]): string {
  return words.join(t("row.listSeparator"));
}

export function noteCount(count: number): string {
  return t("count.notes", { count });
}

/** Whole seconds, rounded up. */
export function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}

/** A share of 1: `42%`. */
export function percent(share: number): string {
  return new Intl.NumberFormat(currentLanguage(), { style: "percent" }).format(share);
}

export function megabytes(bytes: number): string {
  return new Intl.NumberFormat(currentLanguage(), { style: "unit", unit: "megabyte", minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(bytes / 1e6);
}

/** A day and a time of day. */
export function dateAndTime(ms: number): string {
  return new Intl.DateTimeFormat(currentLanguage(), { dateStyle: "medium", timeStyle: "short" }).format(ms);
}

/** The largest unit that an age holds at least once; a month is a twelfth of a year. */
const AGE_UNITS = [
  ["year", 365 * 1440],
  ["month", 31 * 1440],
  ["day", 1440],
  ["hour", 60],
  ["minute", 1],
] as const;
const DAYS_A_MONTH = 30.44;

let ages: { readonly language: string; readonly format: Intl.RelativeTimeFormat; readonly now: string } | null = null; // kept: a list has 100 ages

/** How long ago, in a few letters: `5h`. */
export function shortAge(ageMs: number): string {
  const [unit, count] = ageOf(ageMs);
  return unit === null ? t("age.now") : t(`age.${unit}`, { value: count });
}

function ageOf(ageMs: number): readonly [unit: (typeof AGE_UNITS)[number][0] | null, count: number] {
  const minutes = Math.floor(ageMs / 60_000);
  const [unit, size] = AGE_UNITS.find(([, least]) => minutes >= least) ?? [null, 1];
  return [unit, Math.floor(minutes / (unit === "month" ? DAYS_A_MONTH * 1440 : size))];
}

/** How long ago, as it is said: `5h ago`. */
export function ageWords(ageMs: number): string {
  const language = currentLanguage();
  if (ages?.language !== language) {
    const now = new Intl.RelativeTimeFormat(language, { style: "narrow", numeric: "auto" }).format(0, "second");
    ages = { language, format: new Intl.RelativeTimeFormat(language, { style: "narrow" }), now };
  }
  const [unit, count] = ageOf(ageMs);
  return unit === null ? ages.now : ages.format.format(-count, unit);
}
