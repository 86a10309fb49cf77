/** What does the pane depend on? */
import { type MarkdownView } from "obsidian";
import { type Clock } from "../clock";
import { type Emitter } from "../emitter";
import { type CommandMap, type EngineActionId } from "../pane/commands";
import { type ObservableEngine } from "../pane/state";
import { type SearchSession } from "../search/session";
import { type Preferences } from "../settings";

export interface History {
  all(): readonly string[];
  add(query: string): void;
  remove(query: string): void;
  clear(): void;
  /** The queries that the user starred. */
  saved(): readonly string[];
  toggleSaved(query: string): void;
}

/** How the pane searches and looks, as the user set it. */
export type PanePreferences = Pick<Preferences, "mode" | "limit" | "naming" | "density">;

/** Everything the pane depends on. */
export interface PaneParts {
  readonly createSession: () => SearchSession;
  readonly clock: Clock;
  readonly engine: ObservableEngine;
  readonly indexUpdated: Emitter<void>;
  readonly history: History;
  readonly preferences: () => PanePreferences;
  readonly preferencesChanged: Emitter<void>;
  readonly savePreferences: (change: Partial<PanePreferences>) => void;
  /** Into the clipboard of `win`, where that is given. */
  readonly copy: (text: string, win?: Window) => void;
  /** The note that was used last, which is written into. */
  readonly lastEditor: { readonly view: MarkdownView | null };
  /** What concerns the engine or the settings rather than this pane. */
  readonly engineCommands: CommandMap<EngineActionId>;
}
