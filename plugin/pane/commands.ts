/**
 * The ids of all commands. What each does is in one map per kind, so that nothing switches on an id: engine commands in
 * `actions.ts`, pane commands in `ui/pane/pane-commands.ts`, row commands in `ui/list/row-actions.ts`.
 */

/** What concerns the engine or the settings rather than one pane. */
export type EngineActionId = "check-again" | "copy-report" | "decline-engine" | "open-inspector" | "open-settings" | "pause" | "restart" | "resume" | "start-engine";

/** What concerns the query of one search box. */
export type QueryActionId = "clear-query" | "drop-filters" | "engine-help" | "go-to-error" | "remove-filter" | "search-typed";

/** What concerns one pane. */
export type PaneActionId =
  | QueryActionId
  | "add-filter"
  | "change-density"
  | "clear-history"
  | "search-again"
  | "search-both"
  | "show-keys"
  | "show-operators";

/** What a button of a panel or of a status line can offer. */
export type ActionId = EngineActionId | PaneActionId;

/** Commands for rows that represent passages. */
export const ROW_COMMANDS = [
  ...(["open", "open-tab", "open-split", "open-background", "open-window", "insert-link", "insert-quote", "copy-link"] as const),
  ...(["copy-text", "more-context", "less-context", "explain", "dismiss", "restore"] as const),
] as const;
export type RowCommandId = (typeof ROW_COMMANDS)[number];

/** What each command does. */
export type CommandMap<Id extends string> = Readonly<Record<Id, () => void>>;
