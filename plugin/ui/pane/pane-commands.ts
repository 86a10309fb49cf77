/** What a search box depends on, and its commands, text events and key scope. */
import { type App, type Component, type Modifier, Platform, Scope } from "obsidian";
import { type Emitter } from "../../emitter";
import { type CommandMap, type QueryActionId } from "../../pane/commands";
import { BINDINGS, combinationsOf } from "../../pane/keys";
import { type PaneModel } from "../../pane/model";
import { type Answer, answerOf, queryWithout, queryWithoutFilters } from "../../search/answer";
import { type SearchSession } from "../../search/session";
import { quotedAsTyped } from "../../search/spelling";
import { type Preferences } from "../../settings";
import { type ListView } from "../list/list-view";
import { type PlaceServices, type ResultList } from "../list/result-list";
import { type PaneDom } from "./pane-dom";

export interface History {
  /** Emits when the user changed the queries that are offered. */
  readonly changed: Emitter<void>;
  all(): readonly string[];
  add(query: string): void;
  forget(query: string): void;
  clear(): void;
  /** The queries that the user starred. */
  saved(): readonly string[];
  toggleSaved(query: string): void;
}

/** How the pane searches and looks, as the user set it. */
export type PanePreferences = Pick<Preferences, "mode" | "limit" | "naming" | "density">;

/** Everything the pane depends on. */
export interface PaneParts extends PlaceServices {
  /** `tiers`: the names of those that are searched beside the vault. */
  readonly createSession: (tiers?: () => readonly string[]) => SearchSession;
  readonly history: History;
  readonly preferences: () => PanePreferences;
  readonly preferencesChanged: Emitter<void>;
  readonly savePreferences: (change: Partial<PanePreferences>) => void;
}

export interface QueryCommandParts {
  readonly model: () => PaneModel;
  readonly input: HTMLInputElement;
  readonly setQuery: (query: string, isComplete?: boolean) => void;
  readonly toggleHelp: () => void;
}

/** What can be done about the query of any search box. */
export function queryCommands({ model, input, setQuery, toggleHelp }: QueryCommandParts): CommandMap<QueryActionId> {
  /** Searches for what `change` makes of the query that was answered. */
  const searchFor = (change: (answer: Answer) => string | null): void => {
    const answer = answerOf(model().search);
    const query = answer && change(answer);
    if (query !== null) setQuery(query, true);
    input.focus();
  };
  return {
    "clear-query": () => {
      setQuery("");
      input.focus();
    },
    "remove-filter": () => { searchFor((answer) => answer.unmet && queryWithout(answer, answer.unmet.clause)); },
    "drop-filters": () => { searchFor(queryWithoutFilters); },
    "engine-help": toggleHelp,
    "go-to-error": () => {
      const { search } = model();
      if (search.kind === "failed" && search.failure.kind === "bad-query") selectCharacter(input, search.failure.position ?? 0);
    },
    "search-typed": () => { searchFor(({ query, corrections }) => quotedAsTyped(query, corrections)); },
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

/** Offers the queries of the history in the list of a box. */
export function showHistory(list: ResultList, history: History): void {
  list.dispatch({ kind: "history", recent: history.all(), saved: history.saved() });
}

/** Searches as the user wants it, for the rows that the list has room for. */
export function setSearchOptions(session: SearchSession, { rowsInSight, room }: ListView, { mode, limit }: PanePreferences): void {
  session.setOptions({ mode, limit, first: rowsInSight, snippetWidth: room.asked });
}

export interface InputHandlers {
  /** The text changed, and is not the spelling of an input method. */
  readonly typed: (text: string) => void;
  /** Handles a key that is not for the suggestions; true when it was handled. */
  readonly key: (event: KeyboardEvent) => boolean;
  /** The box lost the keyboard focus. */
  readonly left: () => void;
}

/** Handles events of the box until `owner` is unloaded. */
export function listenToInput(owner: Component, { search, input, completions, list: { bodyEl } }: Pick<PaneDom, "search" | "input" | "completions" | "list">, { typed, key, left }: InputHandlers): void {
  let isComposing = false;
  const onText = (): void => {
    if (!isComposing) typed(input.value);
  };
  search.onChange(onText); // typing, and the button that clears
  owner.registerDomEvent(input, "input", onText);
  // While an input method composes, the box contains its spelling rather than words.
  owner.registerDomEvent(input, "compositionstart", () => { isComposing = true; });
  owner.registerDomEvent(input, "compositionend", () => {
    isComposing = false;
    onText();
  });
  owner.registerDomEvent(input, "keydown", (event) => {
    if (!event.defaultPrevented && (completions.handleKey(event) || key(event))) event.preventDefault();
  });
  // What scrolls can be reached by Tab: from there, a key for the rows does what it does in the box.
  owner.registerDomEvent(bodyEl, "keydown", (event) => {
    if (event.target !== bodyEl || !key(event)) return;
    event.preventDefault();
    input.focus();
  });
  owner.registerDomEvent(input, "click", () => { completions.close(); }); // the caret moves away
  owner.registerDomEvent(input, "blur", () => {
    completions.close();
    left();
  });
}

/** Whether the caret is behind the last letter, so that it could go nowhere to the right. */
export function isAtEnd({ selectionStart, value }: HTMLInputElement): boolean {
  return selectionStart === value.length;
}

/** `handle` gives true for a key that it took; it is not asked about one that was taken already. */
export function keyScope(app: App, handle: (event: KeyboardEvent) => boolean): Scope {
  const scope = new Scope(app.scope);
  const take = (event: KeyboardEvent): false | undefined => (event.defaultPrevented || handle(event) ? false : undefined);
  for (const combination of BINDINGS.flatMap((binding) => combinationsOf(binding, Platform.isMacOS))) {
    const parts = combination.split("+");
    const key = parts.pop() ?? "";
    if (parts.length > 0) scope.register(parts as Modifier[], key, take);
  }
  return scope;
}
