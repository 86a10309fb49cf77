/** What does each command of the pane do? One map; a button, a key and the palette call the same entry. */
import { type CommandMap, type PaneActionId } from "../pane/commands";
import { type PaneModel } from "../pane/model";
import { type Mode } from "../protocol/messages";
import { answerOf } from "../search/answer";
import { quotedAsTyped } from "../search/spelling";
import { shownPanel } from "../wording/panels";
import { type PaneDom } from "./pane-dom";

export interface PaneCommandParts {
  readonly model: () => PaneModel;
  readonly dom: PaneDom;
  readonly setQuery: (query: string, isComplete?: boolean) => void;
  readonly chooseMode: (mode: Mode) => void;
  readonly clearHistory: () => void;
  readonly refresh: () => void;
  readonly changeDensity: () => void;
  readonly toggleHelp: () => void;
  readonly copy: (text: string) => void;
  readonly showKeys: () => void;
}

export function paneCommands({ model, dom, setQuery, chooseMode, clearHistory, refresh, changeDensity, toggleHelp, copy, showKeys }: PaneCommandParts): CommandMap<PaneActionId> {
  return {
    "add-filter": () => {
      const { input } = dom;
      if (/\S$/.test(input.value)) input.value += " ";
      input.focus();
      input.setSelectionRange(input.value.length, input.value.length);
      dom.completions.openAll();
    },
    "change-density": changeDensity,
    "clear-history": clearHistory,
    "clear-query": () => {
      setQuery("");
      dom.input.focus();
    },
    "copy-command": () => {
      const [command] = shownPanel(model())?.commands ?? [];
      if (command !== undefined) copy(command);
    },
    "engine-help": toggleHelp,
    "go-to-error": () => {
      const { search } = model();
      if (search.kind === "failed" && search.failure.kind === "bad-query") selectCharacter(dom.input, search.failure.position ?? 0);
    },
    "search-again": refresh,
    "search-both": () => {
      chooseMode("hybrid");
    },
    "search-typed": () => {
      const answer = answerOf(model().search);
      const query = answer && quotedAsTyped(answer.query, answer.corrections);
      if (query !== null) setQuery(query, true);
      dom.input.focus();
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
