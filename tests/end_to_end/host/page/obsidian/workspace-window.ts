/** Pop-out windows: real ones, with the app's styles, whose elements come from the main window as in Obsidian. */
import { installDomHelpers, setActiveWindow } from "../dom";
import { Known } from "../known";
import { Split } from "./tab-group";

export interface WindowInitData {
  x?: number;
  y?: number;
  size?: { width: number; height: number };
}

/** The middle of the main window. */
export class WorkspaceRoot extends Split {
  constructor(containerEl: HTMLElement) {
    super("root", containerEl);
  }
}

/** What stands above all pop-out windows. */
export class WorkspaceFloating extends Known {
  readonly children: WorkspaceWindow[] = [];
}

export class WorkspaceWindow extends Split {
  /** *closed* is told once, when the user or the app has closed the window. */
  constructor(
    private readonly opened: Window & typeof globalThis,
    closed: () => void,
  ) {
    super("window", frameIn(opened));
    opened.addEventListener("pagehide", closed, { once: true });
    becomesActive(opened);
  }

  override get win(): Window {
    return this.opened;
  }

  override get doc(): Document {
    return this.opened.document;
  }

  override hostEmptied(): void {
    this.opened.close();
  }

  /** The same theme, styles and direction as the main window. */
  hostSyncStyles(): void {
    syncStyles(this.doc);
  }
}

export function openWindow({ x = 0, y = 0, size = { width: 800, height: 600 } }: WindowInitData): Window & typeof globalThis {
  const opened = window.open("about:blank", "_blank", `popup,left=${x},top=${y},width=${size.width},height=${size.height}`);
  if (!opened) throw new Error("the browser opened no window");
  return opened as Window & typeof globalThis;
}

/** Whatever is used last is the active window. */
export function becomesActive(win: Window): void {
  for (const type of ["pointerdown", "focusin", "keydown"]) win.addEventListener(type, () => setActiveWindow(win), true);
}

function frameIn(opened: Window & typeof globalThis): HTMLElement {
  installDomHelpers(opened);
  const doc = opened.document;
  doc.title = "Pop-out";
  syncStyles(doc);
  const container = doc.body.createDiv({ cls: "app-container" }).createDiv({ cls: "horizontal-main-container" });
  return container.createDiv({ cls: "workspace" }).createDiv({ cls: "workspace-split mod-vertical mod-root" });
}

function syncStyles(doc: Document): void {
  const sheets = document.head.findAll("link[rel=stylesheet], style").map((sheet) => doc.importNode(sheet, true));
  for (const sheet of sheets) if (sheet.instanceOf(HTMLLinkElement)) sheet.href = new URL(sheet.getAttribute("href") ?? "", document.baseURI).href;
  doc.head.findAll("link, style").forEach((old) => old.remove());
  doc.head.append(...sheets);
  doc.body.className = `${document.body.className} is-popout-window`;
  doc.body.style.cssText = document.body.style.cssText;
  doc.body.dir = document.body.dir;
  doc.documentElement.lang = document.documentElement.lang;
}
