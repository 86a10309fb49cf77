/** A window of its own for a tab: another document of the same origin, with the app's style sheets. */
import type { Keymap } from "./scope";
import { Split } from "./tab-group";

const SIZE = "popup,width=700,height=600";

/** Elements come from the app's own realm and are adopted, so they keep Obsidian's helpers. */
export function openPopout(keymap: Keymap): Split {
  const win = window.open("about:blank", "_blank", SIZE);
  if (!win) throw new Error("the browser refuses to open a window");
  for (const link of document.head.findAll("link[rel=stylesheet], style")) {
    const copy = link.cloneNode(true) as HTMLElement;
    if (link instanceof HTMLLinkElement) copy.setAttribute("href", link.href);
    win.document.head.append(copy);
  }
  win.document.body.className = `${document.body.className} is-popout-window`;
  const workspaceEl = createDiv({ cls: "workspace" });
  win.document.body.append(workspaceEl);
  const activate = (active: Window & typeof globalThis): void => void Object.assign(window, { activeWindow: active, activeDocument: active.document });
  win.addEventListener("focus", () => activate(win as Window & typeof globalThis));
  window.addEventListener("focus", () => activate(window));
  keymap.hostListen(win);
  return new Split("window", workspaceEl.createDiv({ cls: "workspace-split mod-vertical mod-root" }));
}
