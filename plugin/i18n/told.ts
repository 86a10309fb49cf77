/**
 * What does the engine say, in the user's language? Pure.
 *
 * It says it by code and arguments, with an English sentence beside them. The sentence is shown where the code is unknown
 * here, as one of a newer engine may be.
 */
import { type Message } from "../protocol/messages";
import { joinSentences, plainList, quotedList } from "./formatting";
import { type Args, currentLanguage, translated } from "./translate";

type Arguments = Message["args"];
/** The key of a sentence, with its arguments. */
type Sentence = readonly [key: string, args?: Arguments];

export function toldWords(told: readonly Message[], english: string): string {
  const sentences = told.flatMap(sentencesOf).map(([key, args = {}]) => wordsByCode(key, written(args)));
  return sentences.length === 0 || sentences.includes(null) ? joinSentences(english) : joinSentences(...sentences.map((text) => text ?? ""));
}

/**
 * Of these, the engine's own sentence names what it is about: a path, an error of the system, a key of the settings. It is
 * shown to those who read English; other languages say what is known by the code.
 */
const NAMES_MORE: ReadonlySet<string> = new Set([
  ...["index-recreated", "index-unavailable", "indexing-failed", "model-missing", "process-ended", "settings-unreadable", "vault-missing", "words-unavailable"].map((code) => `told.${code}`),
  ...["any-status", "defect", "front-matter", "name", "not-a-file", "other", "settings", "too-large", "too-many-passages", "unknown", "unreadable"].map((code) => `inspect.reason.${code}`),
  ...["bad-settings", "index-unavailable", "note-not-found", "other"].map((reason) => `failure.refused.${reason}`),
]);

/** The text of a *key* that a code leads to; null where it is unknown, or the engine's own English sentence says more. */
export function wordsByCode(key: string, args: Args = {}): string | null {
  return currentLanguage().startsWith("en") && NAMES_MORE.has(key) ? null : translated(key, args);
}

const MAX_NAMED = 6; // words of a query; more are counted

function sentencesOf({ code, args }: Message): readonly Sentence[] {
  const own: Sentence = [`told.${code}`, args];
  switch (code as string) {
    case "relaxed-beginnings":
      return [lackingIn(args, quotedList([textOf(args["word"])], "disjunction")), own];
    case "relaxed-phrases":
    case "relaxed-phrases-in-case":
      return [lackingIn(args, quotedList(listOf(args["phrases"]), "conjunction")), own];
    case "relaxed-words":
      return [lackingIn(args, quotedList(listOf(args["words"]), "disjunction")), ["told.relaxed-nothing"]];
    case "relaxed-many-words":
    case "relaxed-nothing":
      return [[`told.nothing.${textOf(args["among"])}`], ["told.relaxed-nothing"]];
    case "relaxed-filters":
    case "relaxed-unmet-filters":
      return [own, ["told.ignored", { count: args["ignored"] ?? 0 }]];
    case "explain-hit":
    case "explain-beyond":
      return [own, ...reasonsOf(args)];
    case "explain-crowded-out":
      return [...heldOf(args), own];
    case "explain-absent":
      return [[`inspect.reason.${textOf(args["reason"])}`, args]];
    case "bad-regex":
      return [[`told.regex.${textOf(args["problem"])}`, args]];
    default:
      return [own];
  }
}

function lackingIn(args: Arguments, what: string): Sentence {
  return [`told.none.${textOf(args["among"])}`, { what }];
}

/** Why a note ranks where it ranks: the strongest reasons, and which words of the query it holds. */
function reasonsOf(args: Arguments): readonly Sentence[] {
  return listOf(args["reasons"]).flatMap((reason) => (reason === "words" ? heldOf(args) : [[`told.reason.${reason}`] as const]));
}

function heldOf(args: Arguments): readonly Sentence[] {
  const [found, lacking] = [listOf(args["found"]), listOf(args["lacking"])];
  const all = found.length + lacking.length;
  if (all > MAX_NAMED) return [["told.heldSome", { found: found.length, all }]];
  const held: Sentence = ["told.held", { words: quotedList(found, "conjunction") }];
  return found.length === 0 ? [] : lacking.length === 0 ? [held] : [held, ["told.lacking", { words: quotedList(lacking, "disjunction") }]];
}

/** Lists as text. */
function written(args: Arguments): Readonly<Record<string, string | number>> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, typeof value === "object" ? plainList(value) : value]));
}

export function textOf(value: Arguments[string] | undefined): string {
  return typeof value === "string" ? value : "";
}

export function listOf(value: Arguments[string] | undefined): readonly string[] {
  return typeof value === "object" && (value as unknown) !== null ? value : [];
}
