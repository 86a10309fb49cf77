/** Builds one row of a settings page. */
import {
  type BaseComponent,
  ButtonComponent,
  DropdownComponent,
  ExtraButtonComponent,
  ProgressBarComponent,
  SearchComponent,
  SliderComponent,
  TextAreaComponent,
  TextComponent,
  ToggleComponent,
} from "./controls";
import { setTooltip } from "./icons";

type Text = string | DocumentFragment;
type Configure<C> = (component: C) => unknown;

export class Setting {
  readonly settingEl: HTMLElement;
  readonly infoEl: HTMLElement;
  readonly nameEl: HTMLElement;
  readonly descEl: HTMLElement;
  readonly controlEl: HTMLElement;
  components: BaseComponent[] = [];
  errorEl: HTMLElement | null = null;

  constructor(containerEl: HTMLElement) {
    this.settingEl = containerEl.createDiv({ cls: "setting-item" });
    this.infoEl = this.settingEl.createDiv({ cls: "setting-item-info" });
    this.nameEl = this.infoEl.createDiv({ cls: "setting-item-name" });
    this.descEl = this.infoEl.createDiv({ cls: "setting-item-description" });
    this.controlEl = this.settingEl.createDiv({ cls: "setting-item-control" });
  }

  setName(name: Text): this {
    this.nameEl.setText(name);
    return this;
  }

  setDesc(desc: Text): this {
    this.descEl.setText(desc);
    return this;
  }

  setClass(name: string): this {
    this.settingEl.addClass(name);
    return this;
  }

  setTooltip(text: string): this {
    setTooltip(this.nameEl, text);
    return this;
  }

  setHeading(): this {
    this.settingEl.addClass("setting-item-heading");
    return this;
  }

  /** null takes the message away. */
  setErrorMessage(message: string | null): this {
    this.errorEl?.remove();
    this.errorEl = message === null ? null : this.infoEl.createDiv({ cls: "setting-item-error", text: message });
    return this;
  }

  setDisabled(disabled: boolean): this {
    this.settingEl.toggleClass("is-disabled", disabled);
    for (const component of this.components) component.setDisabled(disabled);
    return this;
  }

  addText(configure: Configure<TextComponent>): this {
    return this.add(new TextComponent(this.controlEl), configure);
  }

  addTextArea(configure: Configure<TextAreaComponent>): this {
    return this.add(new TextAreaComponent(this.controlEl), configure);
  }

  addSearch(configure: Configure<SearchComponent>): this {
    return this.add(new SearchComponent(this.controlEl), configure);
  }

  addToggle(configure: Configure<ToggleComponent>): this {
    this.settingEl.addClass("mod-toggle");
    return this.add(new ToggleComponent(this.controlEl), configure);
  }

  addDropdown(configure: Configure<DropdownComponent>): this {
    return this.add(new DropdownComponent(this.controlEl), configure);
  }

  addSlider(configure: Configure<SliderComponent>): this {
    return this.add(new SliderComponent(this.controlEl), configure);
  }

  addButton(configure: Configure<ButtonComponent>): this {
    return this.add(new ButtonComponent(this.controlEl), configure);
  }

  addExtraButton(configure: Configure<ExtraButtonComponent>): this {
    return this.add(new ExtraButtonComponent(this.controlEl), configure);
  }

  addProgressBar(configure: Configure<ProgressBarComponent>): this {
    return this.add(new ProgressBarComponent(this.controlEl), configure);
  }

  addComponent<C extends BaseComponent>(make: (el: HTMLElement) => C): this {
    return this.add(make(this.controlEl), () => undefined);
  }

  then(configure: (setting: this) => unknown): this {
    configure(this);
    return this;
  }

  clear(): this {
    this.controlEl.empty();
    this.components = [];
    return this;
  }

  private add<C extends BaseComponent>(component: C, configure: Configure<C>): this {
    this.components.push(component);
    configure(component);
    return this;
  }
}

/** Rows under one heading. */
export class SettingGroup {
  readonly listEl: HTMLElement;
  private readonly groupEl: HTMLElement;
  private readonly headerEl: HTMLElement;

  constructor(containerEl: HTMLElement) {
    this.groupEl = containerEl.createDiv({ cls: "setting-group" });
    this.headerEl = this.groupEl.createDiv({ cls: "setting-group-header" });
    this.listEl = this.groupEl.createDiv({ cls: "setting-items" });
  }

  setHeading(text: Text): this {
    new Setting(this.headerEl).setName(text).setHeading();
    return this;
  }

  addClass(...names: string[]): this {
    this.groupEl.addClass(...names);
    return this;
  }

  addSetting(configure: (setting: Setting) => void): this {
    configure(new Setting(this.listEl));
    return this;
  }

  addSearch(configure: Configure<SearchComponent>): this {
    configure(new SearchComponent(this.headerEl));
    return this;
  }

  addExtraButton(configure: Configure<ExtraButtonComponent>): this {
    configure(new ExtraButtonComponent(this.headerEl));
    return this;
  }
}
