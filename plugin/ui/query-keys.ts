/** Carries out the keys that concern the query rather than the rows: history, saving, mode. */
import { Notice } from "obsidian";
import { type PaneKey } from "../pane/keys";
import { QueryWalk } from "../pane/query-walk";
import { type Mode } from "../protocol/messages";
import { t } from "../i18n/translate";
import { type History } from "./pane-parts";

export interface QueryKeyParts {
  readonly input: HTMLInputElement;
  readonly history: History;
  readonly setQuery: (query: string) => void;
  readonly chooseMode: (mode: Mode) => void;
  /** The saved searches changed. */
  readonly saved: () => void;
}

export class QueryKeys {
  private readonly walk = new QueryWalk();

  constructor(private readonly parts: QueryKeyParts) {}

  /** True when the key was for the query. */
  handle(key: PaneKey): boolean {
    if (key.kind === "history") this.step(key.step);
    else if (key.kind === "save") this.save();
    else if (key.kind === "mode") this.parts.chooseMode(key.mode);
    else return false;
    return true;
  }

  private step(step: number): void {
    const { input, history, setQuery } = this.parts;
    const query = this.walk.next(input.value, step, history.all());
    if (query !== null) setQuery(query);
  }

  private save(): void {
    const { input, history, saved } = this.parts;
    const query = input.value.trim();
    if (query === "") return;
    history.toggleSaved(query);
    saved();
    new Notice(t(history.saved().includes(query) ? "pane.isSaved" : "pane.isUnsaved"));
  }
}
