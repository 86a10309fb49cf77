/** Builds one row of a settings page. */
import {
  type BaseComponent,
  ButtonComponent,
  DropdownComponent,
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

  setHeading(): this {
    this.settingEl.addClass("setting-item-heading");
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

  then(configure: (setting: this) => unknown): this {
    configure(this);
    return this;
  }

  private add<C extends BaseComponent>(component: C, configure: Configure<C>): this {
    this.components.push(component);
    configure(component);
    return this;
  }
}
