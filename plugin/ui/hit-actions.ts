/** Actions on a hit besides opening it: preview, drag as a link, context menu. */
import { type App, type HoverParent, Menu, type PaneType, type WorkspaceLeaf, stripHeadingForLink } from "obsidian";
import { type HitOption } from "./hit-row";
import { noteAt } from "./open-hit";
import { TEXT, openMapWords } from "./wording";

/** A link to the passage's heading, in the user's link format. Null when the note is gone. */
export function linkTo(app: App, { hit, passage }: HitOption): string | null {
  const file = noteAt(app.vault, hit.path);
  if (!file) return null;
  const heading = passage?.headingPath.at(-1);
  const subpath = heading === undefined ? "" : `#${stripHeadingForLink(heading)}`;
  return app.fileManager.generateMarkdownLink(file, app.workspace.getActiveFile()?.path ?? "", subpath);
}

export function startDrag(app: App, event: DragEvent, option: HitOption): void {
  const link = linkTo(app, option);
  if (link === null) return;
  event.dataTransfer?.setData("text/plain", link);
  if (event.dataTransfer) event.dataTransfer.effectAllowed = "copyLink";
}

/** Triggers the core plugin "Page preview", which applies the user's settings for this source. */
export function preview(app: App, event: MouseEvent, source: string, hoverParent: HoverParent, { hit, passage, el }: HitOption): void {
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

export interface MenuHandlers {
  readonly open: (option: HitOption, where: PaneType | boolean) => void;
  readonly copy: (text: string) => void;
  readonly explain: (path: string) => void;
  readonly openNote: (path: string) => void;
}

/** The context menu of a hit: our items first, then those that other plugins add for a file. */
export function hitMenu(app: App, option: HitOption, source: string, leaf: WorkspaceLeaf, handlers: MenuHandlers): Menu {
  const menu = new Menu();
  const add = (title: string, icon: string, section: string, run: () => void): void => {
    menu.addItem((item) => item.setTitle(title).setIcon(icon).setSection(section).onClick(run));
  };
  const openIn = (where: PaneType | boolean) => (): void => {
    handlers.open(option, where);
  };
  add(TEXT.menu.open, "file-text", "open", openIn(false));
  add(TEXT.menu.openTab, "file-plus", "open", openIn("tab"));
  add(TEXT.menu.openSplit, "separator-vertical", "open", openIn("split"));
  for (const { path, title } of option.hit.maps) {
    add(openMapWords(title), "map", "open", () => {
      handlers.openNote(path);
    });
  }
  const link = linkTo(app, option);
  if (link !== null) {
    add(TEXT.menu.copyLink, "link", "info", () => {
      handlers.copy(link);
    });
  }
  const snippet = option.passage?.snippet;
  if (snippet !== undefined) {
    add(TEXT.menu.copyText, "copy", "info", () => {
      handlers.copy(snippet);
    });
  }
  add(TEXT.menu.explain, "info", "info", () => {
    handlers.explain(option.hit.path);
  });
  const file = noteAt(app.vault, option.hit.path);
  if (file) app.workspace.trigger("file-menu", menu, file, source, leaf);
  return menu;
}
