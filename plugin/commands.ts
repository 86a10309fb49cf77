/** The commands and their ids, which never change because users bind keys to them. No default hotkeys. */
import { type Editor, type Plugin } from "obsidian";
import { t } from "./i18n/translate";
import { type ActionId, ROW_COMMANDS } from "./pane/commands";
import { ASSIGNABLE, type PaneKey } from "./pane/keys";
import { MODES } from "./protocol/messages";
import { type Inspector } from "./ui/inspector/inspector";

export interface CommandTargets {
  readonly openSearch: (query?: string) => void;
  /** Explains why the active note is or is not in the open search's results; null without an active note or a search. */
  readonly explainNote: () => (() => void) | null;
  /** Opens the dialog that writes a new note, with the text that is selected. */
  readonly capture: () => void;
  /** Copies a link to the open search; null where there is none. */
  readonly copySearchLink: () => (() => void) | null;
  readonly inspector: Pick<Inspector, "open" | "why" | "confirmRebuild">;
  readonly pauseOrResume: () => void;
  readonly restart: () => void;
  readonly copyReport: () => void;
  /** Whether the engine is running; commands that need it are hidden otherwise. */
  readonly isLive: () => boolean;
}

/** The callback of a command that is offered while `offer` gives something to do. */
export function offered(offer: () => (() => void) | null): (checking: boolean) => boolean {
  return (checking) => {
    const run = offer();
    if (!checking) run?.();
    return run !== null;
  };
}

export function addCommands(plugin: Plugin, targets: CommandTargets): void {
  const whenLive = (run: () => void): ((checking: boolean) => boolean) => offered(() => (targets.isLive() ? run : null));
  plugin.addCommand({ id: "open-search", name: t("command.open"), icon: "search", callback: () => { targets.openSearch(); } });
  plugin.addCommand({
    id: "search-selection",
    name: t("command.selection"),
    icon: "text-search",
    editorCheckCallback: (checking: boolean, editor: Editor) => {
      const text = queryOf(editor.getSelection());
      return offered(() => (text === "" ? null : () => { targets.openSearch(text); }))(checking);
    },
  });
  plugin.addCommand({ id: "explain-note", name: t("command.explain"), icon: "info", checkCallback: offered(() => (targets.isLive() ? targets.explainNote() : null)) });
  plugin.addCommand({ id: "copy-search-link", name: t("command.copy-search-link"), icon: "link", checkCallback: offered(targets.copySearchLink) });
  plugin.addCommand({ id: "capture", name: t("command.capture"), icon: "inbox", checkCallback: whenLive(targets.capture) });
  plugin.addCommand({ id: "open-inspector", name: t("command.inspect"), icon: "list-tree", callback: () => void targets.inspector.open() });
  plugin.addCommand({ id: "why-not-found", name: t("command.why"), icon: "circle-question-mark", checkCallback: whenLive(() => { targets.inspector.why(); }) });
  plugin.addCommand({ id: "rebuild-index", name: t("command.rebuild"), icon: "refresh-cw", checkCallback: whenLive(() => { targets.inspector.confirmRebuild(); }) });
  plugin.addCommand({ id: "pause-or-resume", name: t("command.pause"), icon: "pause", checkCallback: whenLive(targets.pauseOrResume) });
  plugin.addCommand({ id: "restart-engine", name: t("command.restart"), icon: "power", callback: targets.restart });
  plugin.addCommand({ id: "copy-diagnostics", name: t("command.copy-report"), icon: "clipboard-copy", callback: targets.copyReport });
}

/** Commands for what is done in the pane, with keys and without; `active` gives what carries them out in the active pane, or null. */
export function addPaneCommands(plugin: Plugin, active: () => ((what: PaneKey | ActionId) => void) | null): void {
  const add = (id: string, name: string, what: PaneKey | ActionId): void => {
    const offer = (): (() => void) | null => {
      const perform = active();
      return perform && (() => { perform(what); });
    };
    plugin.addCommand({ id, name, checkCallback: offered(offer) });
  };
  for (const id of Object.keys(ASSIGNABLE) as (keyof typeof ASSIGNABLE)[]) add(id, t(`command.${id}`), ASSIGNABLE[id]);
  for (const command of ROW_COMMANDS) add(`result-${command}`, t("command.result", { action: t(`menu.${command}`) }), { kind: "command", command });
  for (const mode of MODES) add(`mode-${mode}`, t("command.mode", { mode: t(`mode.${mode}`) }), { kind: "mode", mode });
  add("show-operators", t("action.show-operators"), "show-operators");
}

const SELECTION_CHARS = 500; // a paragraph; the protocol allows 4,096, but a longer selection is hardly meant as a query
const FIRST_CHARS = new RegExp(`^.{0,${SELECTION_CHARS}}`, "su"); // the `u` flag counts code points, so no surrogate pair is split

/** The query for a selection: white space collapsed, at most 500 characters. */
export function queryOf(selection: string): string {
  const line = selection.replace(/\s+/g, " ").trim();
  return (FIRST_CHARS.exec(line)?.[0] ?? "").trim();
}

const MAX_NAME = 80; // characters of a query in the command palette

/** Commands for saved queries; the result brings them up to date. */
export function savedCommands(plugin: Pick<Plugin, "addCommand" | "removeCommand">, open: (query: string) => void): (saved: readonly string[]) => void {
  let known: readonly string[] = [];
  return (saved) => {
    for (const query of known) if (!saved.includes(query)) plugin.removeCommand(idOf(query));
    for (const query of saved) {
      if (known.includes(query)) continue;
      const name = query.length > MAX_NAME ? `${query.slice(0, MAX_NAME)}…` : query;
      plugin.addCommand({ id: idOf(query), name: t("command.saved", { query: name }), icon: "star", callback: () => { open(query); } });
    }
    known = saved;
  };
}

/** Of the query itself, so that a hotkey stays with it on every device. */
function idOf(query: string): string {
  return `saved:${query}`;
}
