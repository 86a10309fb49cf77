/** A plugin's settings page: groups of rows that the plugin declares and renders itself (Obsidian 1.13). */
import type { SettingDefinitionGroup, SettingDefinitionItem, SettingDefinitionRender } from "obsidian";
import type * as Api from "obsidian";
import type { App } from "./app";
import { Modal } from "./modal";
import type { Plugin } from "./plugin";
import { Setting } from "./setting";

export abstract class PluginSettingTab {
  readonly containerEl = createDiv({ cls: "vertical-tab-content" });
  readonly id: string;
  readonly name: string;

  constructor(
    readonly app: App,
    plugin: Plugin,
  ) {
    this.id = plugin.manifest.id;
    this.name = plugin.manifest.name;
  }

  abstract getSettingDefinitions(): SettingDefinitionItem[];

  hide(): void {}

  /** Host: the user opened this tab. */
  hostShow(): void {
    for (const { heading = "", items } of this.getSettingDefinitions() as SettingDefinitionGroup[]) {
      const groupEl = this.containerEl.createDiv({ cls: "setting-group" });
      new Setting(groupEl.createDiv({ cls: "setting-group-header" })).setName(heading).setHeading();
      const listEl = groupEl.createDiv({ cls: "setting-items" });
      for (const { name, desc = "", render } of (items ?? []) as SettingDefinitionRender[]) {
        render(new Setting(listEl).setName(name).setDesc(desc) as unknown as Api.Setting, groupEl as unknown as Api.SettingGroup);
      }
    }
  }

  /** Host: the user left this tab. */
  hostHide(): void {
    this.hide();
    this.containerEl.empty();
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
