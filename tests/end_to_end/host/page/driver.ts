/** What a test can do and ask in the app, as its user. Reached from Node as `window.testHost`. */
import type { App } from "./obsidian/app";
import type { TAbstractFile } from "./obsidian/files";
import { Menu } from "./obsidian/menu";
import { type EphemeralState, MarkdownView } from "./obsidian/markdown-view";
import { noticesSoFar } from "./obsidian/notice";
import type { SavedLeaf } from "./obsidian/workspace";
import type { PluginLoader } from "./loader";

/** The note in front of the user. Offsets are UTF-16, a line break counted as one. */
export interface ActiveNote {
  readonly path: string;
  readonly mode: "source" | "preview";
  readonly isFocused: boolean;
  readonly text: string;
  readonly cursor: { readonly line: number; readonly ch: number };
  readonly selection: { readonly from: number; readonly to: number; readonly text: string };
  /** What flashes: the passage a jump landed on. */
  readonly flashed: readonly string[];
  /** The ephemeral state the note was last opened with. */
  readonly eState: EphemeralState | null;
}

export class Driver {
  constructor(
    private readonly app: App,
    private readonly loader: PluginLoader,
    private readonly readAhead: () => void,
  ) {}

  /** Start the app: the plugin first, then the vault's files, then the tabs as they were, then `layout-ready`. */
  async start({ withPlugin, layout }: { withPlugin: boolean; layout: readonly SavedLeaf[] }): Promise<void> {
    if (withPlugin) await this.loader.enable();
    this.readAhead();
    this.app.vault.hostLoad();
    await this.app.workspace.hostStart(layout);
  }

  async enable(): Promise<void> {
    await this.loader.enable();
    await this.app.workspace.hostSettled();
  }

  async disable(): Promise<void> {
    await this.loader.disable();
  }

  isEnabled(): boolean {
    return this.loader.isEnabled;
  }

  layout(): SavedLeaf[] {
    return this.app.workspace.hostLayout();
  }

  /** The app is closing: who listens may still finish something. */
  async quit(): Promise<void> {
    const tasks: Promise<unknown>[] = [];
    this.app.workspace.trigger("quit", {
      add: (task: () => Promise<unknown>) => tasks.push(task()),
      addPromise: (task: Promise<unknown>) => tasks.push(task),
      isEmpty: () => tasks.length === 0,
    });
    await Promise.all(tasks);
  }

  commands(): { id: string; name: string; hasHotkey: boolean }[] {
    return [...this.app.hostCommands.values()].map(({ id, name, hotkeys }) => ({ id, name, hasHotkey: Boolean(hotkeys?.length) }));
  }

  /** Run one of the plugin's commands, as the palette would. */
  async runCommand(id: string): Promise<void> {
    const command = this.app.hostCommands.get(`quarry:${id}`);
    if (!command) throw new Error(`there is no command "${id}", only ${[...this.app.hostCommands.keys()].join(", ")}`);
    const view = this.app.workspace.activeEditor;
    const unavailable = new Error(`the command "${id}" is not available now`);
    if (command.editorCheckCallback || command.editorCallback) {
      if (!view || command.editorCheckCallback?.(true, view.editor, view) === false) throw unavailable;
      await (command.editorCheckCallback?.(false, view.editor, view) ?? command.editorCallback?.(view.editor, view));
    } else if (command.checkCallback) {
      if (!command.checkCallback(true)) throw unavailable;
      command.checkCallback(false);
    } else {
      await command.callback?.();
    }
  }

  async openNote(path: string, mode: "source" | "preview" = "source"): Promise<void> {
    const file = this.app.vault.getFileByPath(path);
    if (!file) throw new Error(`there is no note "${path}"`);
    await this.app.workspace.getLeaf(false).openFile(file, { state: { mode } });
  }

  /** Another plugin, which draws code blocks of these languages and looks at everything that is rendered. `window.renderedByOthers` has what it was given. */
  addRenderer(languages: readonly string[]): void {
    const given: string[] = [];
    Object.assign(window, { renderedByOthers: given });
    for (const language of languages) this.app.hostCodeBlocks.set(language, (source) => given.push(source));
    this.app.hostPostProcessors.push((el) => given.push(el.textContent ?? ""));
  }

  openSettings(): void {
    this.app.setting.openTabById("quarry");
  }

  /** `obsidian://action?key=value`, as another program opens it. */
  async openUri(uri: string): Promise<void> {
    const { host, pathname, searchParams } = new URL(uri.replace(/^obsidian:/, "http:"));
    const action = decodeURIComponent(host + pathname).replace(/\/$/, "");
    const handler = this.app.hostProtocolHandlers.get(action);
    if (!handler) throw new Error(`nobody handles obsidian://${action}`);
    await handler({ action, ...Object.fromEntries(searchParams) });
  }

  /** The menu of a file or folder, as a right click in the file explorer shows it. */
  fileMenu(path: string): void {
    const menu = new Menu();
    this.app.workspace.trigger("file-menu", menu, this.entry(path), "file-explorer-context-menu", null);
    menu.showAtPosition({ x: 0, y: 0 });
  }

  /** `obsidian command key=value flag`, in a terminal: a flag that is required must be there. */
  async runCli(command: string, params: Record<string, string>): Promise<string> {
    const found = this.app.hostCliHandlers.get(command);
    if (!found) throw new Error(`there is no command "${command}", only ${[...this.app.hostCliHandlers.keys()].join(", ")}`);
    const missing = Object.entries(found.flags ?? {}).filter(([name, { required }]) => required && !(name in params));
    if (missing.length > 0) throw new Error(`missing: ${missing.map(([name]) => name).join(", ")}`);
    return found.handler(params);
  }

  /** Save a note; a new one is created, with its folders. */
  async write(path: string, text: string): Promise<void> {
    const file = this.app.vault.getFileByPath(path);
    if (file) return this.app.vault.modify(file, text);
    await this.ensureFolderOf(path);
    await this.app.vault.create(path, text);
  }

  /** Rename or move a note or a folder. */
  async rename(path: string, newPath: string): Promise<void> {
    await this.ensureFolderOf(newPath);
    await this.app.fileManager.renameFile(this.entry(path), newPath);
  }

  async remove(path: string): Promise<void> {
    await this.app.vault.delete(this.entry(path));
  }

  activeNote(): ActiveNote | null {
    const { workspace } = this.app;
    const view = [workspace.getMostRecentLeaf(), workspace.getMostRecentLeaf(workspace.rootSplit)].map((leaf) => leaf?.view).find((one) => one instanceof MarkdownView);
    if (!(view instanceof MarkdownView) || !view.file) return null;
    const { editor } = view;
    const [from, to] = editor.hostSpan();
    return {
      path: view.file.path,
      mode: view.getMode(),
      isFocused: editor.hasFocus(),
      text: editor.getValue(),
      cursor: editor.getCursor(),
      selection: { from, to, text: editor.getSelection() },
      flashed: flashedText(view),
      eState: view.hostEphemeralStates.at(-1) ?? null,
    };
  }

  /** Select the first *text* in the note that is open for editing. */
  select(text: string): void {
    const { editor } = this.editing();
    const at = editor.getValue().indexOf(text);
    editor.setSelection(editor.offsetToPos(at), editor.offsetToPos(at + text.length));
    document.dispatchEvent(new Event("selectionchange"));
  }

  setCursor(line: number, ch: number): void {
    const { editor } = this.editing();
    editor.setCursor({ line, ch });
    editor.focus();
  }

  undo(): void {
    this.editing().editor.undo();
  }

  /** Paths of the notes that are open, in the order of their tabs. */
  openNotes(): string[] {
    const paths: string[] = [];
    this.app.workspace.iterateRootLeaves((leaf) => leaf.hostFile && paths.push(leaf.hostFile.path));
    return paths;
  }

  notices(): { text: string; visible: boolean }[] {
    return noticesSoFar();
  }

  statusBar(): string[] {
    return document.body.findAll(".status-bar-item").map((item) => item.innerText);
  }

  theme(name: "light" | "dark"): void {
    document.body.toggleClass("theme-dark", name === "dark");
    document.body.toggleClass("theme-light", name === "light");
    this.app.workspace.trigger("css-change");
  }

  /** As the app does for a language that is written from right to left. */
  direction(dir: "ltr" | "rtl", lang = dir === "rtl" ? "ar" : "en"): void {
    document.documentElement.lang = lang;
    document.body.dir = dir;
    document.body.toggleClass("mod-rtl", dir === "rtl");
    this.app.workspace.trigger("css-change");
  }

  /** What a user or a theme sets: CSS variables on the body. */
  cssVariables(values: Record<string, string>): void {
    document.body.setCssProps(values);
    this.app.workspace.trigger("css-change");
  }

  /** Move the first tab of this type into a window of its own. */
  async popOut(type: string): Promise<void> {
    const [leaf] = this.app.workspace.getLeavesOfType(type);
    if (!leaf) throw new Error(`there is no tab of type "${type}"`);
    await leaf.loadIfDeferred();
    this.app.workspace.moveLeafToPopout(leaf);
  }

  seedLocalStorage(entries: Record<string, unknown>): void {
    for (const [key, value] of Object.entries(entries)) this.app.saveLocalStorage(key, value);
  }

  private editing(): MarkdownView {
    const view = this.app.workspace.activeEditor;
    if (!view) throw new Error("no note is open");
    return view;
  }

  private async ensureFolderOf(path: string): Promise<void> {
    const folder = path.slice(0, Math.max(path.lastIndexOf("/"), 0));
    if (folder && !this.app.vault.getFolderByPath(folder)) await this.app.vault.createFolder(folder);
  }

  private entry(path: string): TAbstractFile {
    const entry = this.app.vault.getAbstractFileByPath(path);
    if (!entry) throw new Error(`there is nothing at "${path}" in the vault`);
    return entry;
  }
}

function flashedText(view: MarkdownView): string[] {
  if (view.getMode() === "preview") return view.previewMode.containerEl.findAll(".is-flashing").map((line) => line.innerText);
  return view.editor.hostFlashed().map(([from, to]) => view.editor.getValue().slice(from, to));
}
