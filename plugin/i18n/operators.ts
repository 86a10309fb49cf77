/** The operators of the query language as the box suggests them. Pure; the engine's parser defines the language. */
import { type Key, t } from "./translate";

/** Where the suggested values of an operator come from; null: no suggestions. */
export type Values = "folders" | "tags" | "times" | "kinds" | "property" | null;

/** What an operator narrows: the place of a note, the text of a passage, the time; or it joins the others. */
export type OperatorSection = "where" | "what" | "when" | "logic";

export const OPERATOR_SECTIONS: readonly OperatorSection[] = ["where", "what", "when", "logic"];

export interface Operator {
  readonly section: OperatorSection;
  /** The operator without its value: `tag:`. */
  readonly token: string;
  /** The operator as the list shows it. */
  readonly label: string;
  /** The key of its description. */
  readonly hint: Extract<Key, `operator.${string}`>;
  readonly values: Values;
  /** Inserted after the caret when the operator is accepted. */
  readonly closing?: string;
}

/** All operators, the most often used filters first. */
export const OPERATORS: readonly Operator[] = [
  { section: "where", token: "tag:", label: "tag:", hint: "operator.tag", values: "tags" },
  { section: "where", token: "folder:", label: "folder:", hint: "operator.folder", values: "folders" },
  { section: "where", token: "path:", label: "path:", hint: "operator.path", values: null },
  { section: "where", token: "file:", label: "file:", hint: "operator.file", values: null },
  { section: "where", token: "kind:", label: "kind:", hint: "operator.kind", values: "kinds" },
  { section: "what", token: '"', label: '"…"', hint: "operator.phrase", values: null, closing: '"' },
  { section: "logic", token: "-", label: "-…", hint: "operator.exclude", values: null },
  { section: "logic", token: "OR ", label: "OR", hint: "operator.or", values: null },
  { section: "logic", token: "(", label: "(…)", hint: "operator.group", values: null, closing: ")" },
  { section: "where", token: "[", label: "[property]", hint: "operator.property", values: "property" },
  { section: "when", token: "created:", label: "created:", hint: "operator.created", values: "times" },
  { section: "when", token: "modified:", label: "modified:", hint: "operator.modified", values: "times" },
  { section: "where", token: "type:", label: "type:", hint: "operator.type", values: "property" },
  { section: "where", token: "status:", label: "status:", hint: "operator.status", values: "property" },
  { section: "where", token: "domain:", label: "domain:", hint: "operator.domain", values: "property" },
  { section: "what", token: "section:", label: "section:(…)", hint: "operator.section", values: null },
  { section: "what", token: "block:", label: "block:(…)", hint: "operator.block", values: null },
  { section: "what", token: "line:", label: "line:(…)", hint: "operator.line", values: null },
  { section: "what", token: "task:", label: "task:", hint: "operator.task", values: null },
  { section: "what", token: "task-todo:", label: "task-todo:", hint: "operator.task-todo", values: null },
  { section: "what", token: "task-done:", label: "task-done:", hint: "operator.task-done", values: null },
  { section: "what", token: "content:", label: "content:", hint: "operator.content", values: null },
  { section: "what", token: "match-case:", label: "match-case:", hint: "operator.match-case", values: null },
  { section: "what", token: "/", label: "/…/", hint: "operator.regex", values: null, closing: "/" },
];

/** The values of `kind:`. */
export function kindValues(): readonly (readonly [value: string, hint: string])[] {
  return [
    ["note", t("kind.note")],
    ["canvas", t("kind.canvas")],
    ["pdf", t("kind.pdf")],
  ];
}

/** Suggested values of `created:` and `modified:`; they show the other forms by example. */
export function timeValues(year: number): readonly (readonly [value: string, hint: string])[] {
  return [
    ["today", t("time.today")],
    ["yesterday", t("time.yesterday")],
    ["7d", t("time.sevenDays")],
    ["this week", t("time.this-week")],
    ["last week", t("time.last-week")],
    ["this month", t("time.this-month")],
    ["last month", t("time.last-month")],
    ["3m", t("time.threeMonths")],
    [`${year}`, t("time.this-year")],
    [`>=${year}-01-01`, t("time.afterDate")],
    [`<${year}`, t("time.beforeDate")],
    [`${year - 1}..${year}`, t("time.betweenDates")],
  ];
}
