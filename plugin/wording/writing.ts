/** What is said of choosing, inserting, dragging and creating? Pure. */
import { type RowCommandId } from "../pane/commands";
import { number } from "./formatting";

/** What a command is called in the menu of one row. */
const COMMANDS: Readonly<Record<RowCommandId, string>> = {
  open: "Open",
  "open-tab": "Open in new tab",
  "open-split": "Open to the right",
  "open-background": "Open in background tab",
  "open-window": "Open in new window",
  "insert-link": "Insert link",
  "insert-quote": "Insert quote",
  "copy-link": "Copy link to passage",
  "copy-text": "Copy passage",
  explain: "Why is this here?",
  dismiss: "Not what I meant",
  restore: "Undo “Not what I meant”",
};

/** What a command is called in the menu of several rows, where it is offered for several. */
const FOR_SEVERAL: Readonly<Partial<Record<RowCommandId, (count: string) => string>>> = {
  "open-tab": (count) => `Open ${count} in new tabs`,
  "open-background": (count) => `Open ${count} in background tabs`,
  "insert-link": (count) => `Insert ${count} links`,
  "insert-quote": (count) => `Insert ${count} quotes`,
  "copy-link": (count) => `Copy ${count} links`,
};

export function rowCommandName(id: RowCommandId, count: number): string {
  return count > 1 ? (FOR_SEVERAL[id]?.(number(count)) ?? COMMANDS[id]) : COMMANDS[id];
}

export function isForSeveral(id: RowCommandId): boolean {
  return id in FOR_SEVERAL;
}

/** Empty while no rows are chosen beside the selected one. */
export function chosenWords(count: number): string {
  return count === 0 ? "" : `${number(count)} selected`;
}

export function createWords(name: string): string {
  return `Create “${name}”`;
}

export function openManyWords(count: number): { readonly title: string; readonly confirm: string } {
  return { title: `Open ${number(count)} notes?`, confirm: "Open all" };
}

export function notCreatedWords(name: string, reason: string): string {
  return `“${name}” could not be created: ${reason}`;
}

export function readingViewWords(note: string): string {
  return `“${note}” is open in reading view. Switch to editing view to insert into it.`;
}

export const WRITING = {
  noEditor: "No note is open to insert into. Open one, place the cursor, then try again.",
  cancel: "Cancel",
  dismissed: "Marked as not what you meant",
  undo: "Undo",
  notCopied: "The clipboard cannot be written to.",
} as const;
