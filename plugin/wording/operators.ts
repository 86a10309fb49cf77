/** The operators of the query language as the box suggests them. Pure; the engine's parser defines the language. */

/** Where the suggested values of an operator come from; null: no suggestions. */
export type Values = "folders" | "tags" | "times" | "property" | null;

/** What an operator narrows: the place of a note, the text of a passage, the time; or it joins the others. */
export type OperatorSection = "where" | "what" | "when" | "logic";

export const OPERATOR_SECTIONS: readonly (readonly [section: OperatorSection, heading: string])[] = [
  ["where", "Where"],
  ["what", "What"],
  ["when", "When"],
  ["logic", "Logic"],
];

export interface Operator {
  readonly section: OperatorSection;
  /** The operator without its value: `tag:`. */
  readonly token: string;
  /** The operator as the list shows it. */
  readonly label: string;
  readonly hint: string;
  readonly values: Values;
  /** Inserted after the caret when the operator is accepted. */
  readonly closing?: string;
}

/** All operators, the most often used filters first. */
export const OPERATORS: readonly Operator[] = [
  { section: "where", token: "tag:", label: "tag:", hint: "Has this tag or a nested one", values: "tags" },
  { section: "where", token: "folder:", label: "folder:", hint: "In this folder", values: "folders" },
  { section: "where", token: "path:", label: "path:", hint: "Path contains this", values: null },
  { section: "where", token: "file:", label: "file:", hint: "File name contains this", values: null },
  { section: "what", token: '"', label: '"…"', hint: "These words next to each other", values: null, closing: '"' },
  { section: "logic", token: "-", label: "-…", hint: "Exclude a word, phrase or filter", values: null },
  { section: "logic", token: "OR ", label: "OR", hint: "Either of two", values: null },
  { section: "logic", token: "(", label: "(…)", hint: "Group", values: null, closing: ")" },
  { section: "where", token: "[", label: "[property]", hint: "Has this property or value", values: "property" },
  { section: "when", token: "created:", label: "created:", hint: "Date created", values: "times" },
  { section: "when", token: "modified:", label: "modified:", hint: "Date last changed", values: "times" },
  { section: "where", token: "type:", label: "type:", hint: "Value of the property type", values: "property" },
  { section: "where", token: "status:", label: "status:", hint: "Value of the property status", values: "property" },
  { section: "where", token: "domain:", label: "domain:", hint: "Value of the property domain", values: "property" },
  { section: "what", token: "section:", label: "section:(…)", hint: "All of these in one section", values: null },
  { section: "what", token: "block:", label: "block:(…)", hint: "All of these in one paragraph or list item", values: null },
  { section: "what", token: "line:", label: "line:(…)", hint: "All of these in one line", values: null },
  { section: "what", token: "task:", label: "task:", hint: "In a task", values: null },
  { section: "what", token: "task-todo:", label: "task-todo:", hint: "In an open task", values: null },
  { section: "what", token: "task-done:", label: "task-done:", hint: "In a completed task", values: null },
  { section: "what", token: "content:", label: "content:", hint: "In the note's text", values: null },
  { section: "what", token: "match-case:", label: "match-case:", hint: "Whole words in exactly this case", values: null },
  { section: "what", token: "/", label: "/…/", hint: "Regular expression", values: null, closing: "/" },
];

/** Suggested values of `created:` and `modified:`; they show the other forms by example. */
export function timeValues(year: number): readonly (readonly [value: string, hint: string])[] {
  return [
    ["today", "Since midnight"],
    ["yesterday", "The day before today"],
    ["7d", "Last seven days"],
    ["this week", "Since Monday"],
    ["last week", "Monday to Sunday of last week"],
    ["this month", "Since the 1st"],
    ["last month", "The previous month"],
    ["3m", "Last three months"],
    [`${year}`, "This year"],
    [`>=${year}-01-01`, "On or after a date"],
    [`<${year}`, "Before a date"],
    [`${year - 1}..${year}`, "From one date to another"],
  ];
}
