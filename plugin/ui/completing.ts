/** What could stand where the caret is in a query? Pure; it reads as much of the language as is needed for that. */
import { OPERATORS, type Operator, times } from "./operators";

/** What there is in the vault, the most used first. */
export interface VaultNames {
  readonly folders: readonly string[];
  readonly tags: readonly string[];
  readonly properties: readonly string[];
  /** Values of one property, by its name in any case. */
  readonly valuesOf: (property: string) => readonly string[];
}

export interface Suggestion {
  readonly label: string;
  readonly hint: string;
  /** Takes the place of what was typed of it. */
  readonly text: string;
  /** Comes behind the caret: what closes `text`. */
  readonly closing: string;
}

export interface Completion {
  /** Where what was typed of it begins; it ends at the caret. UTF-16 code units. */
  readonly from: number;
  /** What is typed can only be the query language: not for `task`, which may be a word, but for `task:`. */
  readonly isCertain: boolean;
  readonly suggestions: readonly Suggestion[];
}

const SHOWN = 12; // more are found faster by another letter
const LEAST_LETTERS = 2; // of an operator's name: one letter begins too many words

const BEFORE = String.raw`(?:^|[\s(])-?`;
const PROPERTY_VALUE = new RegExp(`${BEFORE}\\[([^\\[\\]:"]+):([^\\[\\]"]*)$`, "u");
const PROPERTY = new RegExp(`${BEFORE}\\[([^\\[\\]:"]*)$`, "u");
const TAG = new RegExp(`${BEFORE}#([^\\s#"()]*)$`, "u");
const TIME = new RegExp(`${BEFORE}(?:created|modified):((?:(?:last|this) ?)?[^\\s"()]*)$`, "iu");
const VALUE = new RegExp(`${BEFORE}([a-z-]+):("[^"]*|[^\\s"()]*)$`, "iu");
const NAME = new RegExp(`${BEFORE}([a-z][a-z-]*)$`, "iu");

/** Null where there is nothing to offer. `before` is the query up to the caret; the names are asked for where needed. */
export function completionAt(before: string, names: () => VaultNames, year: number): Completion | null {
  const found = completion(before, names, year);
  return found && found.suggestions.length > 0 ? found : null;
}

/** Everything that can be typed, for who asks. */
export function everyOperator(before: string): Completion {
  return { from: before.length, isCertain: true, suggestions: OPERATORS.map(asSuggestion) };
}

function completion(before: string, names: () => VaultNames, year: number): Completion | null {
  const offer = (typed: string, suggestions: readonly Suggestion[], isCertain = true): Completion => ({
    from: before.length - typed.length,
    isCertain,
    suggestions,
  });
  const [, operator = "", value = ""] = VALUE.exec(before) ?? [];
  if (isInQuotes(before) && !value.startsWith('"')) return null; // within a phrase nothing is an operator
  const time = TIME.exec(before)?.[1];
  if (time !== undefined) return offer(time, offered(times(year), time, (text) => text));
  if (operator !== "") return offer(value, valuesOf(operator, value, names));
  const property = PROPERTY_VALUE.exec(before);
  if (property) {
    const typed = property[2] ?? "";
    return offer(typed, offered(unhinted(names().valuesOf(property[1] ?? "")), typed, inBrackets, "] "));
  }
  const name = PROPERTY.exec(before)?.[1];
  if (name !== undefined) return offer(name, offered(unhinted(names().properties), name, inBrackets, ":"));
  const tag = TAG.exec(before)?.[1];
  if (tag !== undefined) return offer(tag, offered(unhinted(names().tags), tag, (text) => text));
  const word = NAME.exec(before)?.[1] ?? "";
  return word.length < LEAST_LETTERS ? null : offer(word, operatorsLike(word), false);
}

function valuesOf(operator: string, typed: string, names: () => VaultNames): readonly Suggestion[] {
  const sign = `${operator.toLowerCase()}:`;
  switch (OPERATORS.find((known) => known.sign === sign)?.values) {
    case "tags":
      return offered(unhinted(names().tags), typed.replace(/^"?#?/, ""), quotedWhereNeeded);
    case "folders":
      return offered(unhinted(names().folders), typed.replace(/^"/, ""), quotedWhereNeeded);
    case "property":
      return offered(unhinted(names().valuesOf(operator)), typed.replace(/^"/, ""), quotedWhereNeeded);
    case "times":
    case null:
    case undefined:
      return [];
  }
}

function operatorsLike(word: string): readonly Suggestion[] {
  const beginning = word.toLowerCase();
  return OPERATORS.filter(({ sign }) => sign.toLowerCase().startsWith(beginning) && sign.trim() !== word).map(asSuggestion);
}

function asSuggestion({ sign, label, hint, closing = "" }: Operator): Suggestion {
  return { label, hint, text: sign, closing };
}

/** The values with what was typed in them, those that begin with it first; none where it is one of them already. */
function offered(
  values: readonly (readonly [value: string, hint: string])[],
  typed: string,
  written: (value: string) => string,
  behind = " ",
): readonly Suggestion[] {
  const wanted = typed.trim().toLowerCase();
  const fitting = values.filter(([value]) => value.toLowerCase().includes(wanted));
  if (fitting.some(([value]) => value.toLowerCase() === wanted)) return [];
  const begins = fitting.filter(([value]) => value.toLowerCase().startsWith(wanted));
  const others = fitting.filter(([value]) => !value.toLowerCase().startsWith(wanted));
  return [...begins, ...others].slice(0, SHOWN).map(([value, hint]) => ({
    label: value,
    hint,
    text: written(value) + behind,
    closing: "",
  }));
}

function unhinted(values: readonly string[]): readonly (readonly [string, string])[] {
  return values.map((value) => [value, ""]);
}

function quotedWhereNeeded(value: string): string {
  return /[\s()]/u.test(value) ? `"${value}"` : value;
}

/** Quotes keep a value from being read as anything but itself, and end a property's name no earlier than it does. */
function inBrackets(value: string): string {
  return /[[\]":(){}<>,=|\\#]|\bOR\b/u.test(value) ? `"${value.replace(/"/g, "")}"` : value;
}

function isInQuotes(before: string): boolean {
  return before.split('"').length % 2 === 0;
}
