/** How did the engine understand a query, in the user's language? Pure. */
import { type Message } from "../protocol/messages";
import { plainList, quoted, quotedList } from "./formatting";
import { t, translated } from "./translate";
import { listOf, textOf } from "./told";

type Arguments = Message["args"];

/** `notes in Attic, with the tag #howto, about glue`; *english*, as the engine says it, where a code is unknown here. */
export function understoodNotes(told: readonly Message[], english: string): string {
  const conditions = told.map(conditionWords).filter((words) => words !== null);
  if (told.length === 0 || conditions.length < told.length) return english;
  return told[0]?.code === "query-all" ? t("understood.all") : t("understood.notes", { conditions: plainList(conditions) });
}

/** What a note must satisfy, as something that can follow "notes"; null where the code is unknown. */
function conditionWords({ code, args }: Message): string | null {
  if (code === "query-all") return "";
  if (code === "query-words") return wordsOf(textOf(args["words"]), textOf(args["by"]));
  const isNegated = args["negated"] === 1;
  const held = heldThing(code, args);
  if (held !== null) return t(isNegated ? "understood.without" : "understood.with", { what: held });
  const condition = otherCondition(code, args);
  return condition !== null && isNegated ? t("understood.not", { what: condition }) : condition;
}

function wordsOf(words: string, by: string): string | null {
  return translated(`understood.by-${by === "words" && !/\s/.test(words) ? "word" : by}`, { words });
}

/** What a note holds, or must not hold; null where the condition is of another kind. */
function heldThing(code: string, args: Arguments): string | null {
  const text = (name: string): string => textOf(args[name]);
  switch (code) {
    case "query-phrase":
      return quoted(text("phrase"));
    case "query-phrase-in-case":
      return t("understood.in-case", { what: quoted(text("phrase")) });
    case "query-pattern":
      return translated(`understood.in-${text("place")}`, { what: `/${text("pattern")}/` });
    case "query-path":
      return t("understood.in-path", { what: quoted(text("part")) });
    case "query-file":
      return t("understood.in-file", { what: quoted(text("part")) });
    case "query-together":
      return translated(`understood.in-${text("unit")}`, { what: phrasesOf(args) });
    case "query-task":
      return taskWords(args);
    case "query-tag":
      return t("understood.tag", { tag: text("tag") });
    case "query-property":
      return propertyWords(text("name"), text("comparison"), text("value"));
    case "query-filter":
      return text("filter");
    default:
      return null;
  }
}

function otherCondition(code: string, args: Arguments): string | null {
  const text = (name: string): string => textOf(args[name]);
  switch (code) {
    case "query-note":
      return t("understood.note", { path: text("path") });
    case "query-folder":
      return t("understood.folder", { folder: text("folder") });
    case "query-kind":
      return t("understood.kind", { kind: text("kind") });
    case "query-dated": {
      const field = translated(`understood.${text("field")}`);
      return field === null ? null : translated(`understood.dated-${text("period")}`, { field, first: text("first"), last: text("last") });
    }
    default:
      return null;
  }
}

function phrasesOf(args: Arguments): string {
  const [phrases, without] = [listOf(args["phrases"]), listOf(args["without"])];
  const what = phrases.length > 0 ? quotedList(phrases, "conjunction") : t("understood.anything");
  return without.length > 0 ? t("understood.except", { what, others: quotedList(without, "disjunction") }) : what;
}

function taskWords(args: Arguments): string | null {
  const isBare = listOf(args["phrases"]).length + listOf(args["without"]).length === 0;
  const task = args["state"] === "any" ? "task" : `task-${textOf(args["state"])}`;
  return isBare ? translated(`understood.${task}`) : translated(`understood.in-${task}`, { what: phrasesOf(args) });
}

/** `status: done`, as it stands in a note, or `rating ≥ 4`. */
function propertyWords(name: string, comparison: string, value: string): string {
  if (comparison === "exists") return t("understood.property", { name });
  if (comparison === "is") return value === "" ? t("understood.property-empty", { name }) : `${name}: ${value}`;
  return `${name} ${SIGNS.get(comparison) ?? comparison} ${value}`;
}

const SIGNS: ReadonlyMap<string, string> = new Map([["<=", "≤"], [">=", "≥"]]);
