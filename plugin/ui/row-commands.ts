/** What can be done with a row that stands for a passage? One map for the context menu, the keys and the mouse. */
import { type App, type HoverParent, Menu, type PaneType, type WorkspaceLeaf, stripHeadingForLink } from "obsidian";
import { type RowCommandId } from "../pane/commands";
import { type PlaceRow } from "../pane/rows";
import { openMapWords } from "../wording/rows";
import { t } from "../wording/translate";
import { noteAt } from "./open-hit";

export interface RowCommand {
  readonly title: string;
  readonly icon: string;
  readonly section: "open" | "info";
  /** Whether the command makes sense for the row; left out: always. */
  readonly isFor?: (row: PlaceRow) => boolean;
  readonly run: (row: PlaceRow) => void;
}

export type RowCommands = Readonly<Record<RowCommandId, RowCommand>>;

export interface RowHandlers {
  readonly open: (row: PlaceRow, where: PaneType | boolean) => void;
  readonly copy: (text: string) => void;
  /** Null where the source of the rows cannot explain them. */
  readonly explain: ((path: string) => void) | null;
  readonly openNote: (path: string) => void;
}

/** The commands of a row, in the order of the context menu. */
export function rowCommands(app: App, { open, copy, explain }: RowHandlers): RowCommands {
  return {
    open: { title: t("menu.open"), icon: "file-text", section: "open", run: (row) => { open(row, false); } },
    "open-tab": { title: t("menu.open-tab"), icon: "file-plus", section: "open", run: (row) => { open(row, "tab"); } },
    "open-split": { title: t("menu.open-split"), icon: "separator-vertical", section: "open", run: (row) => { open(row, "split"); } },
    "copy-link": {
      title: t("menu.copy-link"),
      icon: "link",
      section: "info",
      isFor: (row) => linkTo(app, row) !== null,
      run: (row) => { copy(linkTo(app, row) ?? ""); },
    },
    "copy-text": {
      title: t("menu.copy-text"),
      icon: "copy",
      section: "info",
      isFor: ({ passage }) => passage !== null,
      run: ({ passage }) => { copy(passage?.snippet ?? ""); },
    },
    explain: {
      title: t("menu.explain"),
      icon: "info",
      section: "info",
      isFor: () => explain !== null,
      run: ({ hit }) => { explain?.(hit.path); },
    },
  };
}

/** The context menu of a row: our items first, then those that other plugins add for a file. */
export function rowMenu(app: App, row: PlaceRow, commands: RowCommands, source: string, leaf: WorkspaceLeaf | null, { openNote }: RowHandlers): Menu {
  const menu = new Menu();
  const add = (title: string, icon: string, section: string, run: () => void): void => {
    menu.addItem((item) => item.setTitle(title).setIcon(icon).setSection(section).onClick(run));
  };
  for (const { title, icon, section, isFor, run } of Object.values(commands)) {
    if (!isFor || isFor(row)) add(title, icon, section, () => { run(row); });
  }
  for (const { path, title } of row.hit.maps) add(openMapWords(title), "map", "open", () => { openNote(path); });
  const file = noteAt(app.vault, row.hit.path);
  if (file) app.workspace.trigger("file-menu", menu, file, source, leaf ?? undefined);
  return menu;
}

/** A link to the passage's heading, in the user's link format. Null when the note is gone. */
export function linkTo(app: App, { hit, passage }: PlaceRow): string | null {
  const file = noteAt(app.vault, hit.path);
  if (!file) return null;
  const heading = passage?.headingPath.at(-1);
  const subpath = heading === undefined ? "" : `#${stripHeadingForLink(heading)}`;
  return app.fileManager.generateMarkdownLink(file, app.workspace.getActiveFile()?.path ?? "", subpath);
}

export function startDrag(app: App, event: DragEvent, row: PlaceRow): void {
  const link = linkTo(app, row);
  if (link === null) return;
  event.dataTransfer?.setData("text/plain", link);
  if (event.dataTransfer) event.dataTransfer.effectAllowed = "copyLink";
}

/** Triggers the core plugin "Page preview", which applies the user's settings for this source. */
export function preview(app: App, event: MouseEvent, source: string, hoverParent: HoverParent, { hit, passage }: PlaceRow, el: HTMLElement): void {
  app.workspace.trigger("hover-link", {
    event,
    source,
    hoverParent,
    targetEl: el,
    linktext: hit.path,
    sourcePath: "",
    state: { scroll: passage?.line ?? 0 },
  });
}
