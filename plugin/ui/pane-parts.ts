/** What does the pane depend on? */
import { type Emitter } from "../emitter";
import { type CommandMap, type EngineActionId } from "../pane/commands";
import { type SearchSession } from "../search/session";
import { type Preferences } from "../settings";
import { type Requester } from "../sidecar/client";
import { type ListServices } from "./result-list";

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
export interface PaneParts extends ListServices {
  readonly client: Requester;
  readonly createSession: () => SearchSession;
  readonly history: History;
  readonly preferences: () => PanePreferences;
  readonly preferencesChanged: Emitter<void>;
  readonly savePreferences: (change: Partial<PanePreferences>) => void;
  /** What concerns the engine or the settings rather than this pane. */
  readonly engineCommands: CommandMap<EngineActionId>;
}
