/** The open tabs, the active one, and where new ones open. */
import { setActiveWindow } from "../dom";
import type { App } from "./app";
import { Events } from "./events";
import type { TFile } from "./files";
import { debounce, parseLinktext } from "./functions";
import { type ViewState, WorkspaceLeaf } from "./leaf";
import { MarkdownView } from "./markdown-view";
import { Split, type TabGroup } from "./tab-group";
import { EmptyView, PlaceholderView, type View, type ViewCreator } from "./view";
import { WorkspaceFloating, WorkspaceRoot, WorkspaceWindow, type WindowInitData, becomesActive, openWindow } from "./workspace-window";

type PaneType = "tab" | "split" | "window";
type Side = "left" | "right";

interface SideLeafOptions {
  active?: boolean;
  split?: boolean;
  reveal?: boolean;
  state?: Record<string, unknown>;
}

/** A tab as it is kept between two starts of the app. */
export interface SavedLeaf {
  readonly side: "left" | "root" | "right";
  readonly viewState: ViewState;
  readonly title: string;
  readonly icon: string;
  /** The one seen in its group. */
  readonly shown: boolean;
}

export class Workspace extends Events {
  readonly containerEl: HTMLElement;
  readonly leftSplit: Split;
  readonly rootSplit: WorkspaceRoot;
  readonly rightSplit: Split;
  readonly floatingSplit = new WorkspaceFloating();
  activeLeaf: WorkspaceLeaf | null = null;
  layoutReady = false;
  /** The host keeps the layout when the app is started again, not before. */
  readonly requestSaveLayout = debounce(() => undefined);
  private leaves: WorkspaceLeaf[] = [];
  /** Most recently active last. */
  private recent: WorkspaceLeaf[] = [];
  private hostOpened: string[] = [];
  private pending: Promise<unknown> = Promise.resolve();
  private whenReady: (() => unknown)[] = [];
  private readonly creators = new Map<string, ViewCreator>();

  constructor(
    private readonly app: App,
    workspaceEl: HTMLElement,
  ) {
    super();
    this.containerEl = workspaceEl;
    this.leftSplit = new Split("left", workspaceEl.find(".mod-left-split"));
    this.rootSplit = new WorkspaceRoot(workspaceEl.find(".mod-root"));
    this.rightSplit = new Split("right", workspaceEl.find(".mod-right-split"));
    this.creators.set("markdown", (leaf) => new MarkdownView(leaf));
    this.creators.set("empty", (leaf) => new EmptyView(leaf));
    window.addEventListener("resize", () => this.trigger("resize"));
    window.addEventListener("pagehide", () => this.floatingSplit.children.forEach(({ win }) => win.close()));
    becomesActive(window);
    this.on("css-change", () => this.floatingSplit.children.forEach((popout) => popout.hostSyncStyles()));
  }

  get activeEditor(): MarkdownView | null {
    return this.getActiveViewOfType(MarkdownView);
  }

  getLeaf(newLeaf: PaneType | boolean = false): WorkspaceLeaf {
    if (newLeaf === "window") return this.openPopoutLeaf();
    if (newLeaf === "split") return this.createLeaf(this.rootSplit, true);
    return (newLeaf ? null : this.navigable()) ?? this.createLeaf(this.rootSplit);
  }

  openPopoutLeaf(data: WindowInitData = {}): WorkspaceLeaf {
    return this.createLeaf(this.openPopout(data));
  }

  /** The leaf goes with its view, whose elements are adopted by the new document. */
  moveLeafToPopout(leaf: WorkspaceLeaf, data: WindowInitData = {}): WorkspaceWindow {
    const popout = this.openPopout(data);
    const left: TabGroup = leaf.parent;
    left.remove(leaf);
    leaf.parent = popout.hostGroup();
    leaf.parent.add(leaf);
    if (!this.getMostRecentLeaf()) this.createLeaf(this.rootSplit);
    this.setActiveLeaf(leaf, { focus: true });
    leaf.onResize();
    this.trigger("layout-change");
    return popout;
  }

  async ensureSideLeaf(type: string, side: Side, { active = true, split = false, reveal = true, state }: SideLeafOptions = {}): Promise<WorkspaceLeaf> {
    const column = this.split(side);
    const existing = this.getLeavesOfType(type).find((leaf) => leaf.getRoot() === column);
    const leaf = existing ?? this.createLeaf(column, split);
    if (!existing || state) await leaf.setViewState({ type, active, ...(state && { state }) });
    if (reveal) await this.revealLeaf(leaf);
    if (active) this.setActiveLeaf(leaf, { focus: true });
    return leaf;
  }

  getMostRecentLeaf(root?: object): WorkspaceLeaf | null {
    const roots: object[] = root ? [root] : [this.rootSplit, this.floatingSplit];
    return [...this.leaves, ...this.recent].findLast((leaf) => roots.includes(leaf.getRoot()) && !leaf.pinned) ?? null;
  }

  getLeavesOfType(type: string): WorkspaceLeaf[] {
    return this.leaves.filter((leaf) => leaf.view.getViewType() === type);
  }

  detachLeavesOfType(type: string): void {
    for (const leaf of this.getLeavesOfType(type)) leaf.detach();
  }

  iterateAllLeaves(visit: (leaf: WorkspaceLeaf) => unknown): void {
    for (const leaf of [...this.leaves]) visit(leaf);
  }

  iterateRootLeaves(visit: (leaf: WorkspaceLeaf) => unknown): void {
    for (const leaf of [...this.leaves]) if (leaf.getRoot() === this.rootSplit || leaf.getRoot() === this.floatingSplit) visit(leaf);
  }

  async revealLeaf(leaf: WorkspaceLeaf): Promise<void> {
    leaf.parent.split.expand();
    leaf.parent.show(leaf);
    await leaf.loadIfDeferred();
  }

  setActiveLeaf(leaf: WorkspaceLeaf, { focus = false }: { focus?: boolean } = {}): void {
    leaf.parent.show(leaf);
    setActiveWindow(leaf.getContainer().win);
    void leaf.loadIfDeferred();
    if (this.activeLeaf !== leaf) this.activate(leaf);
    if (focus && leaf.view instanceof MarkdownView) leaf.view.editor.focus();
  }

  getActiveViewOfType<T extends View>(type: abstract new (...args: never[]) => T): T | null {
    const view = this.activeLeaf?.view;
    return view instanceof type ? view : null;
  }

  /** Of the active tab; when that shows no file, of the tab that showed one last. */
  getActiveFile(): TFile | null {
    return this.recent.findLast((leaf) => leaf.hostFile !== null)?.hostFile ?? null;
  }

  /** The newest first. */
  getLastOpenFiles(): string[] {
    return [...this.hostOpened];
  }

  /** Host: every view that was to open or close has done so. */
  async hostSettled(): Promise<void> {
    await this.pending;
  }

  hostMakeView(leaf: WorkspaceLeaf, type: string): View {
    const creator = this.creators.get(type);
    return creator ? creator(leaf) : new PlaceholderView(leaf, type, "Plugin no longer active", "ghost");
  }

  hostForget(leaf: WorkspaceLeaf): void {
    this.leaves.remove(leaf);
    this.recent.remove(leaf);
    if (this.activeLeaf === leaf) this.activate(this.getMostRecentLeaf());
    this.trigger("layout-change");
  }

  /** Host: without the pop-out windows, which close with the app. */
  hostLayout(): SavedLeaf[] {
    const kept = this.leaves.flatMap((leaf) => (leaf.parent.split.side === "window" ? [] : [{ leaf, side: leaf.parent.split.side }]));
    return kept.map(({ leaf, side }) => ({
      side,
      viewState: leaf.getViewState(),
      title: leaf.getDisplayText(),
      icon: leaf.getIcon(),
      shown: leaf.parent.shown === leaf && !leaf.parent.split.collapsed,
    }));
  }

  /** Tabs as they were left; those that nobody sees wait until they are shown. Then the layout is ready. */
  async hostStart(saved: readonly SavedLeaf[]): Promise<void> {
    for (const { side, viewState, title, icon, shown } of saved) {
      const leaf = this.createLeaf(this.split(side));
      await leaf.hostDefer(viewState, title, icon);
      if (shown) await this.revealLeaf(leaf);
    }
    if (!this.getMostRecentLeaf()) this.createLeaf(this.rootSplit);
    this.activate(this.getMostRecentLeaf());
    this.layoutReady = true;
    for (const callback of this.whenReady.splice(0)) callback();
    this.trigger("layout-ready");
  }

  /** The tab in which a note opens where none is asked for: used last, and not one that keeps its own view. */
  private navigable(): WorkspaceLeaf | null {
    const isIn = (leaf: WorkspaceLeaf): boolean => leaf.getRoot() === this.rootSplit || leaf.getRoot() === this.floatingSplit;
    return [...this.leaves, ...this.recent].findLast((leaf) => isIn(leaf) && !leaf.pinned && (leaf.view.navigation || leaf.isDeferred)) ?? null;
  }

  private activate(leaf: WorkspaceLeaf | null): void {
    const fileBefore = this.getActiveFile();
    for (const other of this.leaves) other.containerEl.toggleClass("mod-active", other === leaf);
    this.activeLeaf = leaf;
    if (leaf) this.recent = [...this.recent.filter((other) => other !== leaf), leaf];
    this.trigger("active-leaf-change", leaf);
    const file = leaf?.hostFile;
    if (file && file !== fileBefore) this.hostFileOpened(file);
  }

  /** Host: a file came to the front. */
  hostFileOpened(file: TFile): void {
    this.hostOpened = [file.path, ...this.hostOpened.filter((path) => path !== file.path)];
    this.trigger("file-open", file);
  }

  private openPopout(data: WindowInitData): WorkspaceWindow {
    const opened = openWindow(data);
    this.app.keymap.hostListen(opened);
    opened.addEventListener("resize", () => this.trigger("resize"));
    const popout: WorkspaceWindow = new WorkspaceWindow(opened, () => this.closed(popout));
    this.floatingSplit.children.push(popout);
    this.trigger("window-open", popout, opened);
    return popout;
  }

  private closed(popout: WorkspaceWindow): void {
    this.floatingSplit.children.remove(popout);
    for (const leaf of popout.groups.flatMap(({ hostLeaves }) => [...hostLeaves])) leaf.detach();
    if (window.activeWindow === popout.win) setActiveWindow(window);
    this.trigger("window-close", popout, popout.win);
  }

  private createLeaf(split: Split, fresh = false): WorkspaceLeaf {
    const group = split.hostGroup(fresh);
    const leaf = new WorkspaceLeaf(this.app, group);
    this.leaves.push(leaf);
    group.add(leaf);
    void leaf.view.hostOpen();
    leaf.hostRefreshTab();
    this.trigger("layout-change");
    return leaf;
  }

  private split(side: "left" | "root" | "right"): Split {
    return { left: this.leftSplit, root: this.rootSplit, right: this.rightSplit }[side];
  }

  hostUnregisterView(type: string): void {
    this.creators.delete(type);
    for (const leaf of this.getLeavesOfType(type)) this.later(() => leaf.hostLosePlugin());
  }

  /** Host: how a view of this type is made. When its plugin comes back, so do its tabs. */
  hostRegisterView(type: string, creator: ViewCreator): void {
    if (this.creators.has(type)) throw new Error(`Attempting to register an existing view type "${type}"`);
    this.creators.set(type, creator);
    for (const leaf of this.getLeavesOfType(type)) if (!leaf.isDeferred) this.later(() => leaf.setViewState(leaf.getViewState()));
  }

  async openLinkText(linktext: string, sourcePath: string, newLeaf?: PaneType | boolean, openState: OpenViewState = {}): Promise<void> {
    const { path, subpath } = parseLinktext(linktext);
    const file = this.app.metadataCache.getFirstLinkpathDest(path, sourcePath) ?? (await this.app.vault.create(path.endsWith(".md") ? path : `${path}.md`, ""));
    const heading = subpath.split("#").at(-1);
    const position = this.app.metadataCache.getFileCache(file)?.headings?.find((cached) => cached.heading === heading)?.position;
    const eState = { ...(position && { line: position.start.line }), ...openState.eState };
    await this.getLeaf(newLeaf).openFile(file, { ...openState, ...(Object.keys(eState).length > 0 && { eState }) });
  }

  onLayoutReady(callback: () => unknown): void {
    if (this.layoutReady) callback();
    else this.whenReady.push(callback);
  }

  private later(task: () => Promise<unknown>): void {
    this.pending = this.pending.then(task);
  }
}

interface OpenViewState {
  state?: Record<string, unknown>;
  eState?: Record<string, unknown>;
  active?: boolean;
}
