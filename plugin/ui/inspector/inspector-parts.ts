/** What do the index inspector, its dialogs and the menus of files depend on? */
import { type Clock } from "../../clock";
import { type EngineActionId, type CommandMap } from "../../pane/commands";
import { type ObservableEngine } from "../../pane/state";
import { type TreeSource } from "../../inspector/tree";
import { type WayOut } from "../../inspector/ways-out";
import { type NoteReport } from "../../protocol/messages";
import { type Reply } from "../../sidecar/failure";

export interface InspectorParts {
  readonly engine: ObservableEngine;
  readonly engineVersion: () => string | null;
  readonly clock: Clock;
  readonly source: TreeSource;
  readonly report: (path: string) => Promise<Reply<NoteReport>>;
  readonly exclude: (folder: string) => void;
  /** Does what gets a note found, and says so. */
  readonly takeWayOut: (way: WayOut, path: string) => void;
  /** Asks for a note, then why it is not found; with a path, at once. */
  readonly why: (path?: string) => void;
  /** Rebuilds the index, once the user has confirmed it. */
  readonly rebuild: () => void;
  readonly commands: CommandMap<EngineActionId>;
}
