/** Command ids, which stay as they are because people bind keys to them, and what each calls. No default hotkeys. */
import { type Editor, type Plugin } from "obsidian";
import { TEXT } from "./ui/wording";

const NAMES = TEXT.commands;

export interface CommandTargets {
  readonly openSearch: (query?: string) => void;
  /** Says why the active note is in the open search or not; null where there is no such note or search. */
  readonly explainNote: () => (() => void) | null;
  readonly rebuild: () => void;
  readonly pauseOrResume: () => void;
  readonly restart: () => void;
  readonly copyReport: () => void;
  /** What needs a running engine is offered only while there is one. */
  readonly isLive: () => boolean;
}

export function addCommands(plugin: Plugin, targets: CommandTargets): void {
  const whenLive = (run: () => void) => (checking: boolean) => {
    if (!targets.isLive()) return false;
    if (!checking) run();
    return true;
  };
  plugin.addCommand({
    id: "open-search",
    name: NAMES.openSearch,
    icon: "search",
    callback: () => {
      targets.openSearch();
    },
  });
  plugin.addCommand({
    id: "search-selection",
    name: NAMES.searchSelection,
    icon: "text-search",
    editorCheckCallback: (checking: boolean, editor: Editor) => {
      const text = queryOf(editor.getSelection());
      if (text === "") return false;
      if (!checking) targets.openSearch(text);
      return true;
    },
  });
  plugin.addCommand({
    id: "explain-note",
    name: NAMES.explainNote,
    icon: "info",
    checkCallback: (checking: boolean) => {
      const explain = targets.isLive() ? targets.explainNote() : null;
      if (!checking) explain?.();
      return explain !== null;
    },
  });
  plugin.addCommand({ id: "rebuild-index", name: NAMES.rebuild, icon: "refresh-cw", checkCallback: whenLive(targets.rebuild) });
  plugin.addCommand({ id: "pause-or-resume", name: NAMES.pauseOrResume, icon: "pause", checkCallback: whenLive(targets.pauseOrResume) });
  plugin.addCommand({ id: "restart-engine", name: NAMES.restart, icon: "power", callback: targets.restart });
  plugin.addCommand({ id: "copy-diagnostics", name: NAMES.copyReport, icon: "clipboard-copy", callback: targets.copyReport });
}

const SELECTION_CHARS = 500; // a paragraph; the sidecar takes 4,096, but nobody means a chapter as a query
const START = new RegExp(`^.{0,${SELECTION_CHARS}}`, "su"); // with `u` a character is whole, so no emoji is cut in half

/** A selection as a query: one line, not endless. */
export function queryOf(selection: string): string {
  const line = selection.replace(/\s+/g, " ").trim();
  return (START.exec(line)?.[0] ?? "").trim();
}
