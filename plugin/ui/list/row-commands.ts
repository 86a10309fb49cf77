/** Commands for rows that represent passages: one map for the context menu, the keys and the mouse. */
import { type App, type HoverParent, Menu, type PaneType, type WorkspaceLeaf } from "obsidian";
import { openMapWords } from "../../i18n/rows";
import { t } from "../../i18n/translate";
import { isForSeveral, rowCommandName } from "../../i18n/actions";
import { type RowCommandId } from "../../pane/commands";
import { type PlaceRow, type QueryRow } from "../../pane/rows";
import { type Insertion } from "./insert";
import { documentSubpath, noteAt } from "./open";
import { type RecentHandlers } from "./row-views";

/** Where to open: as Obsidian says it, or in a tab that stays in the background. */
export type OpenWhere = PaneType | boolean | "background";

export interface RowCommand {
  readonly icon: string;
  readonly section: "open" | "write" | "info";
  /** Whether the command makes sense for each of the rows; left out: always. */
  readonly isFor?: (row: PlaceRow) => boolean;
  readonly run: (rows: readonly PlaceRow[]) => void;
}

export type RowCommands = Readonly<Record<RowCommandId, RowCommand>>;

export interface RowHandlers {
  readonly open: (rows: readonly PlaceRow[], where: OpenWhere) => void;
  readonly insert: (rows: readonly PlaceRow[], what: Insertion) => void;
  readonly copyLinks: (rows: readonly PlaceRow[]) => void;
  readonly copyText: (row: PlaceRow) => void;
  /** Null where the source of the rows cannot explain them. */
  readonly explain: ((path: string) => void) | null;
  /** Shows more of the row's passage, or no longer; null where there is no more. */
  readonly setContext: ((row: PlaceRow, isShown: boolean) => void) | null;
  readonly dismiss: (rows: readonly PlaceRow[], isDismissed: boolean) => void;
  readonly openNote: (path: string) => void;
}

/** The commands of rows, in the order of the context menu. */
export function rowCommands(app: App, handlers: RowHandlers): RowCommands {
  const { open, insert, copyLinks, copyText, dismiss } = handlers;
  const hasContext = (row: PlaceRow): boolean => row.kind !== "extract" && row.context !== null;
  const opening = (icon: string, where: OpenWhere): RowCommand => ({ icon, section: "open", run: (rows) => { open(rows, where); } });
  const isThere = ({ hit }: PlaceRow): boolean => noteAt(app.vault, hit.path) !== null;
  const isDismissed = (row: PlaceRow): boolean => row.kind === "hit" && row.isDismissed;
  return {
    open: opening("file-text", false),
    "open-tab": opening("file-plus", "tab"),
    "open-background": opening("files", "background"),
    "open-split": opening("separator-vertical", "split"),
    "open-window": opening("picture-in-picture-2", "window"),
    "insert-link": { icon: "between-horizontal-start", section: "write", isFor: isThere, run: (rows) => { insert(rows, "link"); } },
    "insert-quote": { icon: "text-quote", section: "write", isFor: (row) => isThere(row) && row.passage !== null, run: (rows) => { insert(rows, "quote"); } },
    "copy-link": { icon: "link", section: "write", isFor: isThere, run: copyLinks },
    "copy-text": { icon: "copy", section: "write", isFor: ({ passage }) => passage !== null, run: ([row]) => { if (row) copyText(row); } },
    "more-context": { icon: "unfold-vertical", section: "info", isFor: (row) => handlers.setContext !== null && row.kind !== "extract" && row.passage !== null && !hasContext(row), run: ([row]) => { if (row) handlers.setContext?.(row, true); } },
    "less-context": { icon: "fold-vertical", section: "info", isFor: hasContext, run: ([row]) => { if (row) handlers.setContext?.(row, false); } },
    explain: { icon: "info", section: "info", isFor: () => handlers.explain !== null, run: ([row]) => { if (row) handlers.explain?.(row.hit.path); } },
    dismiss: { icon: "thumbs-down", section: "info", isFor: (row) => row.kind === "hit" && !row.isDismissed, run: (rows) => { dismiss(rows, true); } },
    restore: { icon: "undo-2", section: "info", isFor: isDismissed, run: (rows) => { dismiss(rows, false); } },
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
  const add = (title: string, icon: string, section: string, run: () => void): void => {
    menu.addItem((item) => item.setTitle(title).setIcon(icon).setSection(section).onClick(run));
  };
  for (const id of commandsFor(commands, rows)) {
    const { icon, section, run } = commands[id];
    add(rowCommandName(id, rows.length), icon, section, () => { run(rows); });
  }
  const [row] = rows;
  if (!row || rows.length > 1) return menu;
  for (const { path, title } of row.hit.maps) add(openMapWords(title), "map", "open", () => { openNote(path); });
  const file = noteAt(app.vault, row.hit.path);
  if (file) app.workspace.trigger("file-menu", menu, file, source, leaf ?? undefined);
  return menu;
}

/** Triggers the core plugin "Page preview", which applies the user's settings for this source. */
export function preview(app: App, event: MouseEvent, source: string, hoverParent: HoverParent, { hit, passage }: PlaceRow, el: HTMLElement): void {
  app.workspace.trigger("hover-link", {
    event,
    source,
    hoverParent,
    targetEl: el,
    linktext: hit.path + documentSubpath(hit.path, passage),
    sourcePath: "",
    state: { scroll: passage?.line ?? 0 },
  });
}

export function queryMenu(row: QueryRow, { toggleSaved, forget }: RecentHandlers): Menu {
  const { query } = row;
  const isRecent = row.kind === "recent" && !row.isSaved;
  const menu = new Menu();
  menu.addItem((item) => item.setTitle(t(row.kind === "recent" && row.isSaved ? "pane.unsave" : "pane.save")).setIcon("star").onClick(() => { toggleSaved(query); }));
  if (isRecent) menu.addItem((item) => item.setTitle(t("pane.forget")).setIcon("x").onClick(() => { forget(query); }));
  return menu;
}
