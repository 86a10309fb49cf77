/** What is done with rows: opening, inserting and copying them, as one map of commands for the context menu, the keys and the mouse. */
import { type App, Menu, Notice, type PaneType, type WorkspaceLeaf } from "obsidian";
import { isForSeveral, rowCommandName } from "../../i18n/actions";
import { openMapWords } from "../../i18n/rows";
import { t } from "../../i18n/translate";
import { type RowCommandId } from "../../pane/commands";
import { type PlaceRow, type QueryRow } from "../../pane/rows";
import { type FeedbackKind, type Passage } from "../../protocol/messages";
import { confirmDialog } from "../dialogs/modals";
import { addMenuItem } from "./elements";
import { type Insertion, insertRows, type LastEditor } from "./insert";
import { linksTo } from "./links";
import { isOfVault, noteAt, openElsewhere, openHit } from "./open";
import { type RecentHandlers } from "./row-views";

/** Where to open: as Obsidian says it, or in a tab that stays in the background. */
export type OpenWhere = PaneType | boolean | "background";

const MANY = 10; // tabs that one opens without being asked

/** What the commands of rows call. */
export interface RowHandlers {
  readonly open: (rows: readonly PlaceRow[], where: OpenWhere) => void;
  readonly openNote: (path: string) => void;
  readonly insert: (rows: readonly PlaceRow[], what: Insertion) => void;
  readonly copyLinks: (rows: readonly PlaceRow[]) => void;
  readonly copyText: (row: PlaceRow) => void;
  readonly dismiss: (rows: readonly PlaceRow[], isDismissed: boolean) => void;
  /** Explains why a note is in the list; null where the source of the rows cannot. */
  readonly explain: () => ((path: string) => void) | null;
  /** Shows more of the row's passage, or no longer; null where there is no more. */
  readonly setContext: () => ((row: PlaceRow, isShown: boolean) => void) | null;
}

export interface RowActionParts extends Pick<RowHandlers, "explain" | "setContext"> {
  readonly app: App;
  readonly lastEditor: Pick<LastEditor, "view">;
  readonly copy: (text: string, win?: Window) => void;
  /** The window of the list, whose clipboard is used. */
  readonly win: () => Window;
  /** Shows the passage of a row beside the list. */
  readonly look: (row: PlaceRow) => void;
  /** A row is about to be opened. */
  readonly opening: (row: PlaceRow) => void;
  readonly report: (path: string, kind: FeedbackKind) => void;
  readonly setDismissed: (path: string, isDismissed: boolean) => void;
}

/** What the commands of rows call, in a list of these parts. */
export function rowActions({ app, lastEditor, copy, win, look, opening, report, setDismissed, explain, setContext }: RowActionParts): RowHandlers {
  const reportAll = (rows: readonly PlaceRow[], kind: FeedbackKind): void => {
    for (const path of pathsOf(rows)) report(path, kind);
  };
  const openPlace = async (path: string, passage: Passage | null, where: Exclude<OpenWhere, "background">, isActive = true): Promise<void> => {
    if (!(await openHit(app, path, passage, where, isActive))) new Notice(t("notice.noteGone"));
  };
  /** One after the other, so that the tabs have the order of the rows; the first gets the focus. */
  const openAll = async (rows: readonly PlaceRow[], where: OpenWhere): Promise<void> => {
    let isActive = where !== "background";
    for (const row of rows) {
      opening(row);
      if (!isOfVault(row)) {
        openElsewhere(row, look);
        continue;
      }
      report(row.hit.path, "opened");
      await openPlace(row.hit.path, row.passage, where === "background" ? "tab" : where, isActive);
      isActive = false;
    }
  };
  return {
    open: (rows, where) => {
      const run = (): void => void openAll(rows, rows.length > 1 && where !== "background" ? "tab" : where);
      if (rows.length > MANY) confirmDialog(app, { title: t("write.openMany", { count: rows.length }), confirm: t("write.openAll") }, run).open();
      else run();
    },
    openNote: (path) => void openPlace(path, null, false),
    insert: (rows, what) => {
      void insertRows(app, lastEditor.view, rows, what).then((refusal) => {
        if (refusal === null) reportAll(rows, "inserted");
        else new Notice(refusal);
      });
    },
    copyLinks: (rows) => {
      const links = linksTo(app, rows, linkSource(app, lastEditor));
      if (links.length === 0) {
        new Notice(t("notice.noteGone"));
        return;
      }
      copy(links.join("\n"), win());
      reportAll(rows, "copied");
    },
    copyText: (row) => {
      copy(row.passage?.snippet ?? "", win());
      reportAll([row], "copied");
    },
    dismiss: (rows, isDismissed) => {
      for (const path of pathsOf(rows)) setDismissed(path, isDismissed);
      reportAll(rows, isDismissed ? "dismissed" : "restored");
    },
    explain,
    setContext,
  };
}

/** The note that links are most likely meant for. */
export function linkSource(app: App, lastEditor: Pick<LastEditor, "view">): string {
  return lastEditor.view?.file?.path ?? app.workspace.getActiveFile()?.path ?? "";
}

function pathsOf(rows: readonly PlaceRow[]): readonly string[] {
  return [...new Set(rows.map(({ hit }) => hit.path))];
}

// --- commands ---------------------------------------------------------------------------------------

export interface RowCommand {
  readonly icon: string;
  /** "open" is a section of Obsidian's own menus; what other plugins and the core add is behind ours. */
  readonly section: "open" | "quarry-write" | "quarry-result";
  /** Whether the command makes sense for each of the rows; left out: always. */
  readonly isFor?: (row: PlaceRow) => boolean;
  readonly run: (rows: readonly PlaceRow[]) => void;
}

export type RowCommands = Readonly<Record<RowCommandId, RowCommand>>;

/** The commands of rows, in the order of the context menu. */
export function rowCommands(app: App, { open, insert, copyLinks, copyText, dismiss, explain, setContext }: RowHandlers): RowCommands {
  const hasContext = (row: PlaceRow): boolean => row.kind !== "extract" && row.context !== null;
  const opening = (icon: string, where: OpenWhere): RowCommand => ({ icon, section: "open", ...(where !== false && { isFor: isOfVault }), run: (rows) => { open(rows, where); } });
  const isThere = ({ hit }: PlaceRow): boolean => noteAt(app.vault, hit.path) !== null;
  const isDismissed = (row: PlaceRow): boolean => row.kind === "hit" && row.isDismissed;
  return {
    open: opening("file-text", false),
    "open-tab": opening("file-plus", "tab"),
    "open-background": opening("files", "background"),
    "open-split": opening("separator-vertical", "split"),
    "open-window": opening("picture-in-picture-2", "window"),
    "insert-link": { icon: "between-horizontal-start", section: "quarry-write", isFor: isThere, run: (rows) => { insert(rows, "link"); } },
    "insert-quote": { icon: "text-quote", section: "quarry-write", isFor: (row) => isThere(row) && row.passage !== null, run: (rows) => { insert(rows, "quote"); } },
    "copy-link": { icon: "link", section: "quarry-write", isFor: isThere, run: copyLinks },
    "copy-text": { icon: "copy", section: "quarry-write", isFor: ({ passage }) => passage !== null, run: ([row]) => { if (row) copyText(row); } },
    "more-context": { icon: "unfold-vertical", section: "quarry-result", isFor: (row) => setContext() !== null && isOfVault(row) && row.kind !== "extract" && row.passage !== null && !hasContext(row), run: ([row]) => { if (row) setContext()?.(row, true); } },
    "less-context": { icon: "fold-vertical", section: "quarry-result", isFor: hasContext, run: ([row]) => { if (row) setContext()?.(row, false); } },
    explain: { icon: "info", section: "quarry-result", isFor: (row) => explain() !== null && isOfVault(row), run: ([row]) => { if (row) explain()?.(row.hit.path); } },
    dismiss: { icon: "thumbs-down", section: "quarry-result", isFor: (row) => row.kind === "hit" && !row.isDismissed && isOfVault(row), run: (rows) => { dismiss(rows, true); } },
    restore: { icon: "undo-2", section: "quarry-result", isFor: isDismissed, run: (rows) => { dismiss(rows, false); } },
  };
}

/** The ids of the commands that can be carried out for all of `rows`, in order. */
export function commandsFor(commands: RowCommands, rows: readonly PlaceRow[]): readonly RowCommandId[] {
  const ids = Object.keys(commands) as RowCommandId[];
  return ids.filter((id) => {
    const { isFor } = commands[id];
    return rows.length > 0 && (rows.length === 1 || isForSeveral(id)) && (!isFor || rows.every(isFor));
  });
}

/** The context menu of rows: our items first, then, for one row, those that other plugins add for a file. */
export function rowMenu(app: App, rows: readonly PlaceRow[], commands: RowCommands, source: string, leaf: WorkspaceLeaf | null, { openNote }: RowHandlers): Menu {
  const menu = new Menu();
  for (const id of commandsFor(commands, rows)) {
    const { icon, section, run } = commands[id];
    addMenuItem(menu, rowCommandName(id, rows.length), icon, () => { run(rows); }, section);
  }
  const [row] = rows;
  if (!row || rows.length > 1) return menu;
  for (const { path, title } of row.hit.maps) addMenuItem(menu, openMapWords(title), "map", () => { openNote(path); }, "open");
  const file = noteAt(app.vault, row.hit.path);
  if (file) app.workspace.trigger("file-menu", menu, file, source, leaf ?? undefined);
  return menu;
}

export function queryMenu(row: QueryRow, handlers: RecentHandlers): Menu {
  const { query } = row;
  const menu = new Menu();
  addMenuItem(menu, t(row.kind === "recent" && row.isSaved ? "pane.unsave" : "pane.save"), "star", () => { handlers.toggleSaved(query); });
  if (row.kind === "recent" && !row.isSaved) addMenuItem(menu, t("pane.forget"), "x", () => { handlers.forget(query); });
  return menu;
}
