/** A plugin's settings page: opening, drawing, closing. */
import type { SettingDefinitionItem } from "obsidian";
import type { App } from "./app";
import { Modal } from "./modal";
import type { Plugin } from "./plugin";
import { type Drawn, drawDefinitions } from "./setting-definitions";

export abstract class SettingTab {
  readonly containerEl = createDiv({ cls: "vertical-tab-content" });
  icon = "settings";
  settingItems: SettingDefinitionItem[] = [];
  private drawn: Drawn | undefined;
  private shown = false;

  constructor(readonly app: App) {}

  abstract getControlValue(key: string): unknown;
  abstract setControlValue(key: string, value: unknown): void | Promise<void>;

  getSettingDefinitions(): SettingDefinitionItem[] {
    return [];
  }

  /** What a tab without definitions draws. */
  display(): void {}

  hide(): void {}

  update(): void {
    this.settingItems = this.getSettingDefinitions();
    if (this.shown && this.settingItems.length > 0) this.drawDeclared();
  }

  refreshDomState(): void {
    this.drawn?.refresh();
  }

  /** Host: the user opened this tab. */
  hostShow(): void {
    this.shown = true;
    this.update();
    if (this.settingItems.length === 0) this.display();
  }

  /** Host: the user left this tab. */
  hostHide(): void {
    this.shown = false;
    this.drawn?.dispose();
    this.drawn = undefined;
    this.hide();
    this.containerEl.empty();
  }

  private drawDeclared(): void {
    this.drawn?.dispose();
    this.containerEl.empty();
    this.drawn = drawDefinitions(this.containerEl, this.settingItems, this);
  }
}

export abstract class PluginSettingTab extends SettingTab {
  readonly id: string;
  readonly name: string;

  constructor(
    app: App,
    readonly plugin: Plugin,
  ) {
    super(app);
    this.id = plugin.manifest.id;
    this.name = plugin.manifest.name;
  }

  getControlValue(key: string): unknown {
    return (this.plugin.settings as Record<string, unknown> | undefined)?.[key];
  }

  async setControlValue(key: string, value: unknown): Promise<void> {
    Object.assign(this.plugin.settings as object, { [key]: value });
    await this.plugin.saveData(this.plugin.settings);
  }
}

/** The settings window, open at one tab. */
export class SettingsDialog extends Modal {
  constructor(
    app: App,
    private readonly tab: PluginSettingTab,
  ) {
    super(app);
    this.modalEl.addClass("mod-settings", "mod-sidebar-layout");
  }

  override onOpen(): void {
    const layout = this.contentEl.createDiv({ cls: "vertical-tabs-container" });
    const header = layout.createDiv({ cls: "vertical-tab-header" }).createDiv({ cls: "vertical-tab-header-group" });
    header.createDiv({ cls: "vertical-tab-header-group-title", text: "Community plugins" });
    header.createDiv({ cls: "vertical-tab-nav-item is-active", text: this.tab.name });
    layout.createDiv({ cls: "vertical-tab-content-container" }).append(this.tab.containerEl);
    this.tab.hostShow();
  }

  override onClose(): void {
    this.tab.hostHide();
  }
}
