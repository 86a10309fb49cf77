/** A tab, and how a view is opened in it, deferred, or closed. */
import type { App } from "./app";
import { Events } from "./events";
import type { TFile } from "./files";
import { setIcon } from "./icons";
import { Menu } from "./menu";
import type { Split, TabGroup } from "./tab-group";
import { EmptyView, FileView, PlaceholderView, type View } from "./view";

export interface ViewState {
  type: string;
  state?: Record<string, unknown>;
  active?: boolean;
  pinned?: boolean;
}

interface OpenViewState {
  state?: Record<string, unknown>;
  eState?: Record<string, unknown>;
  active?: boolean;
}

export class WorkspaceLeaf extends Events {
  readonly id = crypto.randomUUID();
  readonly containerEl = createDiv({ cls: "workspace-leaf" });
  readonly tabHeaderEl = createDiv({ cls: "workspace-tab-header tappable" });
  view: View;
  pinned = false;
  private waiting: ViewState | null = null;

  constructor(
    readonly app: App,
    public parent: TabGroup,
  ) {
    super();
    this.view = new EmptyView(this);
    this.tabHeaderEl.addEventListener("click", () => app.workspace.setActiveLeaf(this));
    this.tabHeaderEl.addEventListener("contextmenu", (event) => {
      const menu = Menu.forEvent(event);
      this.view.onPaneMenu(menu, this.parent.split.side === "root" ? "tab-header" : "sidebar-context-menu");
      app.workspace.trigger("leaf-menu", menu, this);
    });
    this.containerEl.addEventListener("pointerdown", () => app.workspace.setActiveLeaf(this));
    new ResizeObserver(() => { this.onResize(); }).observe(this.containerEl); // the user drags the border of a sidebar
    this.containerEl.addEventListener("focusin", () => app.workspace.setActiveLeaf(this));
  }

  /** True while a placeholder stands in for a view that was not shown yet. */
  get isDeferred(): boolean {
    return this.waiting !== null;
  }

  getRoot(): object {
    const { split } = this.parent;
    return split.side === "window" ? this.app.workspace.floatingSplit : split;
  }

  /** The window it is in: the main one, or a pop-out. */
  getContainer(): Split {
    const { split } = this.parent;
    return split.side === "window" ? split : this.app.workspace.rootSplit;
  }

  getViewState(): ViewState {
    if (this.waiting) return this.waiting;
    return { type: this.view.getViewType(), state: this.view.getState(), ...(this.pinned && { pinned: true }) };
  }

  getDisplayText(): string {
    return this.view.getDisplayText();
  }

  getIcon(): string {
    return this.view.getIcon();
  }

  setEphemeralState(state: unknown): void {
    this.view.setEphemeralState(state);
  }

  async setViewState(viewState: ViewState, eState?: Record<string, unknown>): Promise<void> {
    this.waiting = null;
    if (viewState.type !== this.view.getViewType() || this.view instanceof PlaceholderView) {
      await this.open(this.app.workspace.hostMakeView(this, viewState.type));
    }
    await this.view.setState(viewState.state ?? {}, { history: false });
    this.hostRefreshTab();
    if (viewState.active) this.app.workspace.setActiveLeaf(this, { focus: true });
    if (eState) this.setEphemeralState(eState);
    this.app.workspace.trigger("layout-change");
  }

  async open(view: View): Promise<View> {
    await this.view.hostClose();
    this.view = view;
    await view.hostOpen();
    this.hostRefreshTab();
    return view;
  }

  async openFile(file: TFile, { state, eState, active = true }: OpenViewState = {}): Promise<void> {
    await this.setViewState({ type: "markdown", state: { ...state, file: file.path }, active }, eState);
    if (this.app.workspace.activeLeaf === this) this.app.workspace.hostFileOpened(file);
  }

  async loadIfDeferred(): Promise<void> {
    if (this.waiting) await this.setViewState(this.waiting);
  }

  /** Host: hold *viewState* until the tab is shown. */
  async hostDefer(viewState: ViewState, title: string, icon: string): Promise<void> {
    await this.open(new PlaceholderView(this, viewState.type, title, icon));
    this.waiting = viewState;
  }

  detach(): void {
    void this.view.hostClose();
    this.parent.remove(this);
    this.app.workspace.hostForget(this);
  }

  onResize(): void {
    this.view.onResize();
  }

  hostRefreshTab(): void {
    this.tabHeaderEl.empty();
    this.tabHeaderEl.setAttr("aria-label", this.getDisplayText());
    this.tabHeaderEl.dataset.type = this.view.getViewType();
    const inner = this.tabHeaderEl.createDiv({ cls: "workspace-tab-header-inner" });
    setIcon(inner.createDiv({ cls: "workspace-tab-header-inner-icon" }), this.getIcon());
    inner.createDiv({ cls: "workspace-tab-header-inner-title", text: this.getDisplayText() });
  }

  /** The file this tab shows, if it shows one. */
  get hostFile(): TFile | null {
    return this.view instanceof FileView ? this.view.file : null;
  }

  /** Host: the view's plugin goes; its place stays. */
  async hostLosePlugin(): Promise<void> {
    const state = this.getViewState();
    const { title, icon } = { title: this.getDisplayText(), icon: this.getIcon() };
    await this.open(new PlaceholderView(this, state.type, title, icon));
  }
}
