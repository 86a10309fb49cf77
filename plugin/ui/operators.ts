/** The query language as the box offers it: what can be typed, with a hint a line. Pure; the engine's parser is its law. */

/** Where the values of an operator come from; null: anything may stand there. */
export type Values = "folders" | "tags" | "times" | "property" | null;

export interface Operator {
  /** What is typed, without the value: `tag:`. */
  readonly sign: string;
  /** As the list shows it. */
  readonly label: string;
  readonly hint: string;
  readonly values: Values;
  /** What comes behind the caret when the operator is taken. */
  readonly closing?: string;
}

/** In the order in which they are offered: what narrows down most often first. */
export const OPERATORS: readonly Operator[] = [
  { sign: "tag:", label: "tag:", hint: "Has this tag, or one nested in it", values: "tags" },
  { sign: "folder:", label: "folder:", hint: "Lies in this folder", values: "folders" },
  { sign: "path:", label: "path:", hint: "Has this in its path", values: null },
  { sign: "file:", label: "file:", hint: "Has this in its file name", values: null },
  { sign: '"', label: '"…"', hint: "These words side by side", values: null, closing: '"' },
  { sign: "-", label: "-…", hint: "Not this word, phrase or filter", values: null },
  { sign: "OR ", label: "OR", hint: "Either side of it", values: null },
  { sign: "(", label: "(…)", hint: "These together", values: null, closing: ")" },
  { sign: "[", label: "[property]", hint: "Has this property, or a value of it", values: "property" },
  { sign: "created:", label: "created:", hint: "When the note was created", values: "times" },
  { sign: "modified:", label: "modified:", hint: "When it was last changed", values: "times" },
  { sign: "type:", label: "type:", hint: "What its property type says", values: "property" },
  { sign: "status:", label: "status:", hint: "What its property status says", values: "property" },
  { sign: "domain:", label: "domain:", hint: "What its property domain says", values: "property" },
  { sign: "section:", label: "section:(…)", hint: "All of these in one section", values: null },
  { sign: "task:", label: "task:", hint: "These words in a task", values: null },
  { sign: "task-todo:", label: "task-todo:", hint: "In a task that is open", values: null },
  { sign: "task-done:", label: "task-done:", hint: "In a task that is done", values: null },
  { sign: "content:", label: "content:", hint: "These words in its text", values: null },
  { sign: "/", label: "/…/", hint: "A regular expression", values: null, closing: "/" },
];

/** Times worth offering; what else can be written is learned from the ones that can be seen. */
export function times(year: number): readonly (readonly [value: string, hint: string])[] {
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
