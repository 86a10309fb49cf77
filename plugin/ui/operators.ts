/** The operators of the query language as the box suggests them. Pure; the engine's parser defines the language. */

/** Where the suggested values of an operator come from; null: no suggestions. */
export type Values = "folders" | "tags" | "times" | "property" | null;

export interface Operator {
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
  { token: "tag:", label: "tag:", hint: "Has this tag, or one nested in it", values: "tags" },
  { token: "folder:", label: "folder:", hint: "Lies in this folder", values: "folders" },
  { token: "path:", label: "path:", hint: "Has this in its path", values: null },
  { token: "file:", label: "file:", hint: "Has this in its file name", values: null },
  { token: '"', label: '"…"', hint: "These words side by side", values: null, closing: '"' },
  { token: "-", label: "-…", hint: "Not this word, phrase or filter", values: null },
  { token: "OR ", label: "OR", hint: "Either side of it", values: null },
  { token: "(", label: "(…)", hint: "These together", values: null, closing: ")" },
  { token: "[", label: "[property]", hint: "Has this property, or a value of it", values: "property" },
  { token: "created:", label: "created:", hint: "When the note was created", values: "times" },
  { token: "modified:", label: "modified:", hint: "When it was last changed", values: "times" },
  { token: "type:", label: "type:", hint: "What its property type says", values: "property" },
  { token: "status:", label: "status:", hint: "What its property status says", values: "property" },
  { token: "domain:", label: "domain:", hint: "What its property domain says", values: "property" },
  { token: "section:", label: "section:(…)", hint: "All of these in one section", values: null },
  { token: "task:", label: "task:", hint: "These words in a task", values: null },
  { token: "task-todo:", label: "task-todo:", hint: "In a task that is open", values: null },
  { token: "task-done:", label: "task-done:", hint: "In a task that is done", values: null },
  { token: "content:", label: "content:", hint: "These words in its text", values: null },
  { token: "/", label: "/…/", hint: "A regular expression", values: null, closing: "/" },
];

/** Suggested values of `created:` and `modified:`; they show the other forms by example. */
export function timeValues(year: number): readonly (readonly [value: string, hint: string])[] {
  return [
    ["today", "Since midnight"],
    ["yesterday", "The day before"],
    ["7d", "The last seven days"],
    ["this week", "Since Monday"],
    ["last week", "Monday to Sunday before"],
    ["this month", "Since the first"],
    ["last month", "The month before"],
    ["3m", "The last three months"],
    [`${year}`, "This year"],
    [`>=${year}-01-01`, "From a day on"],
    [`<${year}`, "Before a year, month or day"],
    [`${year - 1}..${year}`, "From one to another"],
  ];
}
