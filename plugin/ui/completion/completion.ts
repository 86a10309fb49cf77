/** The completions that fit at the caret of a query. Pure; it parses no more of the query language than that needs. */
import { kindValues, type Operator, OPERATOR_SECTIONS, OPERATORS, timeValues } from "../../i18n/operators";
import { noteCount } from "../../i18n/formatting";
import { t } from "../../i18n/translate";

/** A name, and how many notes have it. */
export type CountedName = readonly [name: string, notes: number];

/** Names that occur in the vault, most frequent first. */
export interface VaultNames {
  /** With the notes of the folders in them. */
  readonly folders: readonly CountedName[];
  readonly tags: readonly CountedName[];
  readonly properties: readonly CountedName[];
  /** Values of one property; its name is case-insensitive. */
  readonly valuesOf: (property: string) => readonly CountedName[];
}

export interface Suggestion {
  readonly label: string;
  readonly hint: string;
  /** Replaces the part that was typed. */
  readonly text: string;
  /** Inserted after the caret, such as a closing quote. */
  readonly closing: string;
  /** The heading that it begins, in the list of all operators. */
  readonly heading?: string;
}

export interface Completion {
  /** Start of the typed part, which ends at the caret, in UTF-16 code units. */
  readonly from: number;
  /** The typed part can only be query syntax: true for `task:`, false for `task`, which may be a word. */
  readonly isCertain: boolean;
  readonly suggestions: readonly Suggestion[];
}

const MAX_SUGGESTIONS = 12; // typing another letter is faster than reading more
const MIN_LETTERS = 2; // of an operator's name: a single letter begins too many words

const BEFORE = String.raw`(?:^|[\s(])-?`;
const PROPERTY_VALUE = new RegExp(`${BEFORE}\\[([^\\[\\]:"]+):([^\\[\\]"]*)$`, "u");
const PROPERTY = new RegExp(`${BEFORE}\\[([^\\[\\]:"]*)$`, "u");
const TAG = new RegExp(`${BEFORE}#([^\\s#"()]*)$`, "u");
const TIME = new RegExp(`${BEFORE}(?:created|modified):((?:(?:last|this) ?)?[^\\s"()]*)$`, "iu");
const VALUE = new RegExp(`${BEFORE}([a-z-]+):("[^"]*|[^\\s"()]*)$`, "iu");
const NAME = /(?:^-?|\(-?|\s-)([a-z][a-z-]*)$/iu; // behind a word, `type` is hardly ever an operator

/** The completion for `before`, the query up to the caret; null when nothing fits. `names` is called only when needed. */
export function completionAt(before: string, names: () => VaultNames, year: number): Completion | null {
  const found = completion(before, names, year);
  return found && found.suggestions.length > 0 ? found : null;
}

/** All operators of the query language, to insert at the caret. */
export function allOperators(before: string): Completion {
  const suggestions = OPERATOR_SECTIONS.flatMap((section) => {
    const [first, ...others] = OPERATORS.filter((operator) => operator.section === section).map(asSuggestion);
    return first ? [{ ...first, heading: t(`operators.${section}`) }, ...others] : [];
  });
  return { from: before.length, isCertain: true, suggestions };
}

function completion(before: string, names: () => VaultNames, year: number): Completion | null {
  const complete = (typed: string, suggestions: readonly Suggestion[], isCertain = true): Completion => ({
    from: before.length - typed.length,
    isCertain,
    suggestions,
  });
  const [, operator = "", value = ""] = VALUE.exec(before) ?? [];
  if (isInQuotes(before) && !value.startsWith('"')) return null; // operators have no meaning inside a phrase
  const time = TIME.exec(before)?.[1];
  if (time !== undefined) return complete(time, matching(timeValues(year), time, asIs));
  if (operator !== "") return complete(value, valuesOf(operator, value, names));
  const property = PROPERTY_VALUE.exec(before);
  if (property) {
    const typed = property[2] ?? "";
    return complete(typed, matching(withCounts(names().valuesOf(property[1] ?? "")), typed, quotedInBrackets, "] "));
  }
  const name = PROPERTY.exec(before)?.[1];
  if (name !== undefined) return complete(name, matching(withCounts(names().properties), name, quotedInBrackets, ":"));
  const tag = TAG.exec(before)?.[1];
  if (tag !== undefined) return complete(tag, matching(withCounts(names().tags), tag, asIs));
  const word = NAME.exec(before)?.[1] ?? "";
  return word.length < MIN_LETTERS ? null : complete(word, operatorsLike(word, names().properties), false);
}

function valuesOf(operator: string, typed: string, names: () => VaultNames): readonly Suggestion[] {
  const token = `${operator.toLowerCase()}:`;
  switch (OPERATORS.find((known) => known.token === token)?.values) {
    case "tags":
      return matching(withCounts(names().tags), typed.replace(/^"?#?/, ""), quotedIfNeeded);
    case "folders":
      return matching(withCounts(names().folders), typed.replace(/^"/, ""), quotedIfNeeded);
    case "property":
      return matching(withCounts(names().valuesOf(operator)), typed.replace(/^"/, ""), quotedIfNeeded);
    case "kinds":
      return matching(kindValues(), typed, asIs);
    case "times":
    case null:
    case undefined:
      return [];
  }
}

/** The operators and the properties of the vault that begin with `word`; `type:` only where notes have the property. */
function operatorsLike(word: string, properties: readonly CountedName[]): readonly Suggestion[] {
  const begins = (name: string): boolean => name.toLowerCase().startsWith(word.toLowerCase());
  const operators = OPERATORS.filter(({ token, values }) => begins(token) && token.trim() !== word && values !== "property");
  const ownNames = properties.filter(([name]) => begins(name) && !OPERATORS.some(({ token, values }) => values !== "property" && token === `${name}:`));
  const own = ownNames.map(([name, notes]) => ({ label: `[${name}]`, hint: noteCount(notes), text: `[${quotedInBrackets(name)}:`, closing: "" }));
  return [...operators.map(asSuggestion), ...own].slice(0, MAX_SUGGESTIONS);
}

function asSuggestion({ token, label, hint, closing = "" }: Operator): Suggestion {
  return { label, hint: t(hint), text: token, closing };
}

/** Suggestions for the values that contain `typed`, prefixes first; none when it equals one of them. */
function matching(
  values: readonly (readonly [value: string, hint: string])[],
  typed: string,
  toText: (value: string) => string,
  suffix = " ",
): readonly Suggestion[] {
  const wanted = typed.trim().toLowerCase();
  const fitting = values.filter(([value]) => value.toLowerCase().includes(wanted));
  if (fitting.some(([value]) => value.toLowerCase() === wanted)) return [];
  const begins = fitting.filter(([value]) => value.toLowerCase().startsWith(wanted));
  const others = fitting.filter(([value]) => !value.toLowerCase().startsWith(wanted));
  return [...begins, ...others].slice(0, MAX_SUGGESTIONS).map(([value, hint]) => ({
    label: value,
    hint,
    text: toText(value) + suffix,
    closing: "",
  }));
}

function asIs(value: string): string {
  return value;
}

function withCounts(names: readonly CountedName[]): readonly (readonly [string, string])[] {
  return names.map(([name, notes]) => [name, noteCount(notes)]);
}

function quotedIfNeeded(value: string): string {
  return /[\s()]/u.test(value) ? `"${value}"` : value;
}

/** Quotes a property's name or value that contains syntax of the query language. */
function quotedInBrackets(value: string): string {
  return /[[\]":(){}<>,=|\\#]|\bOR\b/u.test(value) ? `"${value.replace(/"/g, "")}"` : value;
}

function isInQuotes(before: string): boolean {
  return before.split('"').length % 2 === 0;
}
