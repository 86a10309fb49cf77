/** What a plugin can add to the app; all of it is removed when the plugin is unloaded. */
import type { Command as ApiCommand, CliFlags, CliHandler, HoverLinkSource, PluginManifest } from "obsidian";
import type { App } from "./app";
import type { CodeBlockHandler } from "./code-blocks";
import { Component } from "./component";
import type { Editor } from "./editor";
import { setIcon, setTooltip } from "./icons";
import type { MarkdownView } from "./markdown-view";
import type { PluginSettingTab } from "./settings-tab";
import type { ViewCreator } from "./view";

export interface Command extends Omit<ApiCommand, "editorCallback" | "editorCheckCallback"> {
  editorCallback?: (editor: Editor, view: MarkdownView) => unknown;
  editorCheckCallback?: (checking: boolean, editor: Editor, view: MarkdownView) => boolean | void;
}

export type ProtocolHandler = (params: Record<string, string>) => unknown;

export abstract class Plugin extends Component {
  settings?: unknown;

  constructor(
    readonly app: App,
    readonly manifest: PluginManifest,
  ) {
    super();
  }

  addCommand(command: Command): Command {
    command.id = `${this.manifest.id}:${command.id}`;
    command.name = `${this.manifest.name}: ${command.name}`;
    this.app.hostCommands.set(command.id, command);
    this.register(() => this.app.hostCommands.delete(command.id));
    return command;
  }

  removeCommand(id: string): void {
    this.app.hostCommands.delete(`${this.manifest.id}:${id}`);
  }

  async saveData(data: unknown): Promise<void> {
    await this.app.vault.adapter.write(this.dataPath(), JSON.stringify(data, null, 2));
  }

  async loadData(): Promise<unknown> {
    const path = this.dataPath();
    return (await this.app.vault.adapter.exists(path)) ? (JSON.parse(await this.app.vault.adapter.read(path)) as unknown) : null;
  }

  /** Fences of this language are given to the handler wherever notes are rendered. */
  registerMarkdownCodeBlockProcessor(language: string, handler: CodeBlockHandler): CodeBlockHandler {
    if (this.app.hostCodeBlocks.has(language)) throw new Error(`Code block postprocessor for language ${language} is already registered`);
    this.app.hostCodeBlocks.set(language, handler);
    this.register(() => this.app.hostCodeBlocks.delete(language));
    return handler;
  }

  registerCliHandler(command: string, description: string, flags: CliFlags | null, handler: CliHandler): void {
    const handlers = this.app.hostCliHandlers;
    if (handlers.has(command)) throw new Error(`Command "${command}" is already registered`);
    handlers.set(command, { description, flags, handler });
    this.register(() => handlers.delete(command));
  }

  registerObsidianProtocolHandler(action: string, handler: ProtocolHandler): void {
    this.app.hostProtocolHandlers.set(action, handler);
    this.register(() => this.app.hostProtocolHandlers.delete(action));
  }

  registerHoverLinkSource(id: string, info: HoverLinkSource): void {
    this.app.hostHoverSources.set(id, info);
    this.register(() => this.app.hostHoverSources.delete(id));
  }

  registerView(type: string, creator: ViewCreator): void {
    this.app.workspace.hostRegisterView(type, creator);
    this.register(() => this.app.workspace.hostUnregisterView(type));
  }

  addSettingTab(tab: PluginSettingTab): void {
    this.app.setting.hostTabs.push(tab);
    this.register(() => this.app.setting.hostTabs.remove(tab));
  }

  addStatusBarItem(): HTMLElement {
    const item = document.body.find(".status-bar").createDiv({ cls: ["status-bar-item", `plugin-${this.manifest.id}`] });
    this.register(() => item.remove());
    return item;
  }

  addRibbonIcon(icon: string, title: string, callback: (event: MouseEvent) => unknown): HTMLElement {
    const button = document.body.find(".side-dock-actions").createDiv({ cls: "clickable-icon side-dock-ribbon-action" });
    setIcon(button, icon);
    setTooltip(button, title, { placement: "right" });
    button.addEventListener("click", callback);
    this.register(() => button.remove());
    return button;
  }

  private dataPath(): string {
    return `${this.app.vault.configDir}/plugins/${this.manifest.id}/data.json`;
  }
}
