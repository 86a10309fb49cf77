/** The app and its parts. */
import type { CodeBlockHandler } from "./code-blocks";
import type { CliFlags, CliHandler, HoverLinkSource } from "obsidian";
import { Known } from "../known";
import type { FileSystemAdapter } from "./adapter";
import { DragManager } from "./drag-manager";
import { FileManager } from "./file-manager";
import { MetadataCache } from "./metadata-cache";
import type { Command, ProtocolHandler } from "./plugin";
import { Keymap, Scope } from "./scope";
import { type PluginSettingTab, SettingsDialog } from "./settings-tab";
import { Vault } from "./vault";
import { Workspace } from "./workspace";

/** Obsidian keeps what is local to a device under a prefix that names the vault. */
const LOCAL_PREFIX = "test-host-vault-";

export class App extends Known {
  readonly scope = new Scope();
  readonly keymap = new Keymap(() => this.workspace.activeLeaf?.view.scope ?? this.scope);
  readonly vault: Vault;
  readonly metadataCache: MetadataCache;
  readonly fileManager: FileManager;
  /** Not in the public API, though plugins use it. */
  readonly dragManager: DragManager;
  readonly workspace: Workspace;
  readonly setting: SettingsWindow;
  readonly hostCommands = new Map<string, Command>();
  readonly hostProtocolHandlers = new Map<string, ProtocolHandler>();
  /** What the page preview lists in its settings. */
  readonly hostHoverSources = new Map<string, HoverLinkSource>();
  /** Language -> what draws its code blocks. */
  readonly hostCodeBlocks = new Map<string, CodeBlockHandler>();
  /** What other plugins do with every text that is rendered. */
  readonly hostPostProcessors: ((el: HTMLElement) => void)[] = [];
  readonly hostCliHandlers = new Map<string, { description: string; flags: CliFlags | null; handler: CliHandler }>();

  constructor(adapter: FileSystemAdapter, configDir: string, workspaceEl: HTMLElement) {
    super();
    this.vault = new Vault(adapter, configDir);
    this.metadataCache = new MetadataCache(this.vault);
    this.fileManager = new FileManager(this.vault, this.metadataCache);
    this.dragManager = new DragManager(this.metadataCache);
    this.workspace = new Workspace(this, workspaceEl);
    this.setting = new SettingsWindow(this);
  }

  loadLocalStorage(key: string): unknown {
    const text = localStorage.getItem(LOCAL_PREFIX + key);
    return text === null ? null : (JSON.parse(text) as unknown);
  }

  /** null takes the entry away. */
  saveLocalStorage(key: string, data: unknown): void {
    if (data === null || data === undefined) localStorage.removeItem(LOCAL_PREFIX + key);
    else localStorage.setItem(LOCAL_PREFIX + key, JSON.stringify(data));
  }
}

/** The settings window; not in the public API, though plugins open it. */
class SettingsWindow extends Known {
  readonly hostTabs: PluginSettingTab[] = [];
  private dialog: SettingsDialog | null = null;

  constructor(private readonly app: App) {
    super();
  }

  openTabById(id: string): void {
    const tab = this.hostTabs.find((candidate) => candidate.id === id);
    if (!tab) throw new Error(`there is no settings tab "${id}"`);
    this.close();
    this.dialog = new SettingsDialog(this.app, tab);
    this.dialog.setCloseCallback(() => (this.dialog = null));
    this.dialog.open();
  }

  close(): void {
    this.dialog?.close();
  }
}
