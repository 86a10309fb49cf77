/** What does each command of the pane do? One map; a button, a key and the palette call the same entry. */
import { type CommandMap, type PaneActionId, type QueryActionId } from "../pane/commands";
import { type PaneModel } from "../pane/model";
import { type Mode } from "../protocol/messages";
import { answerOf } from "../search/answer";
import { quotedAsTyped } from "../search/spelling";
import { shownPanel } from "../i18n/panels";
import { type PaneDom } from "./pane-dom";

export interface QueryCommandParts {
  readonly model: () => PaneModel;
  readonly input: HTMLInputElement;
  readonly setQuery: (query: string, isComplete?: boolean) => void;
  readonly toggleHelp: () => void;
}

export interface PaneCommandParts extends Omit<QueryCommandParts, "input"> {
  readonly dom: PaneDom;
  readonly chooseMode: (mode: Mode) => void;
  readonly clearHistory: () => void;
  readonly refresh: () => void;
  readonly changeDensity: () => void;
  readonly copy: (text: string) => void;
  readonly showKeys: () => void;
}

/** What can be done about the query of any search box. */
export function queryCommands({ model, input, setQuery, toggleHelp }: QueryCommandParts): CommandMap<QueryActionId> {
  return {
    "clear-query": () => {
      setQuery("");
      input.focus();
    },
    "engine-help": toggleHelp,
    "go-to-error": () => {
      const { search } = model();
      if (search.kind === "failed" && search.failure.kind === "bad-query") selectCharacter(input, search.failure.position ?? 0);
    },
    "search-typed": () => {
      const answer = answerOf(model().search);
      const query = answer && quotedAsTyped(answer.query, answer.corrections);
      if (query !== null) setQuery(query, true);
      input.focus();
    },
  };
}

export function paneCommands({ model, dom, setQuery, chooseMode, clearHistory, refresh, changeDensity, toggleHelp, copy, showKeys }: PaneCommandParts): CommandMap<PaneActionId> {
  return {
    ...queryCommands({ model, input: dom.input, setQuery, toggleHelp }),
    "add-filter": () => {
      const { input } = dom;
      if (/\S$/.test(input.value)) input.value += " ";
      input.focus();
      input.setSelectionRange(input.value.length, input.value.length);
      dom.completions.openAll();
    },
    "change-density": changeDensity,
    "clear-history": clearHistory,
    "copy-command": () => {
      const [command] = shownPanel(model())?.commands ?? [];
      if (command !== undefined) copy(command);
    },
    "search-again": refresh,
    "search-both": () => {
      chooseMode("hybrid");
    },
    "show-keys": showKeys,
    "show-operators": () => {
      dom.input.focus();
      dom.completions.openAll();
    },
  };
}

/** Selects the character at `position` of the query, which is the box's text without white space around it. */
function selectCharacter(input: HTMLInputElement, position: number): void {
  const indent = input.value.length - input.value.trimStart().length;
  const at = indent + position;
  const isPair = (input.value.codePointAt(at) ?? 0) > 0xffff; // a surrogate pair is selected as a whole
  input.focus();
  input.setSelectionRange(at, Math.min(at + (isPair ? 2 : 1), input.value.length));
}
