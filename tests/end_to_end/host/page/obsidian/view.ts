/** Obsidian's views: frame, header and state of what a tab shows. */
import type { App } from "./app";
import { Component } from "./component";
import type { TFile } from "./files";
import { setIcon, setTooltip } from "./icons";
import type { WorkspaceLeaf } from "./leaf";
import type { Menu } from "./menu";
import type { Scope } from "./scope";

export type ViewCreator = (leaf: WorkspaceLeaf) => View;

export abstract class View extends Component {
  readonly app: App;
  readonly containerEl = createDiv({ cls: "workspace-leaf-content" });
  icon = "document";
  navigation = false;
  scope: Scope | null = null;

  constructor(readonly leaf: WorkspaceLeaf) {
    super();
    this.app = leaf.app;
  }

  abstract getViewType(): string;
  abstract getDisplayText(): string;

  getIcon(): string {
    return this.icon;
  }

  getState(): Record<string, unknown> {
    return {};
  }

  async setState(_state: unknown, _result: object): Promise<void> {}

  setEphemeralState(_state: unknown): void {}

  onResize(): void {}

  onPaneMenu(_menu: Menu, _source: string): void {}

  /** Host: show yourself in your leaf. */
  async hostOpen(): Promise<void> {
    this.containerEl.dataset.type = this.getViewType();
    this.leaf.containerEl.append(this.containerEl);
    this.load();
    await this.onOpen();
  }

  /** Host: leave your leaf. */
  async hostClose(): Promise<void> {
    await this.onClose();
    this.unload();
    this.containerEl.remove();
  }

  protected async onOpen(): Promise<void> {}

  protected async onClose(): Promise<void> {}
}

export abstract class ItemView extends View {
  readonly contentEl: HTMLElement;
  private readonly titleEl: HTMLElement;
  private readonly actionsEl: HTMLElement;

  constructor(leaf: WorkspaceLeaf) {
    super(leaf);
    const header = this.containerEl.createDiv({ cls: "view-header" });
    this.titleEl = header.createDiv({ cls: "view-header-title-container mod-at-start" }).createDiv({ cls: "view-header-title" });
    this.actionsEl = header.createDiv({ cls: "view-actions" });
    this.contentEl = this.containerEl.createDiv({ cls: "view-content" });
  }

  override async hostOpen(): Promise<void> {
    await super.hostOpen();
    this.hostRefreshTitle();
  }

  hostRefreshTitle(): void {
    this.titleEl.setText(this.getDisplayText());
  }
}

export abstract class FileView extends ItemView {
  file: TFile | null = null;
  override navigation = true;

  getDisplayText(): string {
    return this.file?.basename ?? "No file";
  }

  override onload(): void {
    this.registerEvent(this.app.vault.on("rename", (file) => file === this.file && void this.onRename(file as TFile)));
    this.registerEvent(this.app.vault.on("delete", (file) => file === this.file && this.leaf.detach()));
  }

  override getState(): Record<string, unknown> {
    return { file: this.file?.path };
  }

  override async setState(state: { file?: string }, result: object): Promise<void> {
    const wanted = state.file === undefined ? null : this.app.vault.getFileByPath(state.file);
    if (wanted && wanted !== this.file) {
      this.file = wanted;
      await this.onLoadFile(wanted);
      this.hostRefreshTitle();
    }
    await super.setState(state, result);
  }

  abstract onLoadFile(file: TFile): Promise<void>;

  async onRename(_file: TFile): Promise<void> {
    this.hostRefreshTitle();
    this.leaf.hostRefreshTab();
  }
}

/** What stands in a leaf that holds nothing. */
export class EmptyView extends ItemView {
  override icon = "file";
  override navigation = true;

  getViewType(): string {
    return "empty";
  }

  getDisplayText(): string {
    return "New tab";
  }

  protected override async onOpen(): Promise<void> {
    this.contentEl.createDiv({ cls: "empty-state" }).createDiv({ cls: "empty-state-title", text: "No file is open" });
  }
}

/**
 * What stands in for a view that is not there: not loaded yet (Obsidian loads hidden tabs when they are first shown), or
 * its plugin is off.
 */
export class PlaceholderView extends View {
  constructor(
    leaf: WorkspaceLeaf,
    private readonly type: string,
    private readonly title: string,
    override icon: string,
  ) {
    super(leaf);
  }

  getViewType(): string {
    return this.type;
  }

  getDisplayText(): string {
    return this.title;
  }
}
