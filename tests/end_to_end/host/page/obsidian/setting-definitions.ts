/**
 * Draws declared settings (Obsidian 1.13, `getSettingDefinitions`).
 *
 * Groups and lists with their search and buttons, controls with validation, actions, pages, and rows that the plugin
 * renders itself.
 */
import type * as Api from "obsidian";
import { Setting, SettingGroup } from "./setting";

type Item = Api.SettingDefinitionItem;
type Definition = Api.SettingDefinition;
type Group = Api.SettingDefinitionGroup | Api.SettingDefinitionList;

/** Where the values of controls come from and go to: the tab. */
export interface Values {
  getControlValue(key: string): unknown;
  setControlValue(key: string, value: unknown): void | Promise<void>;
  /** Draw the tab again from its definitions. */
  update(): void;
  refreshDomState(): void;
}

/** What was drawn: kept until the next drawing. */
export interface Drawn {
  /** Evaluate every `visible` and `disabled` again. */
  refresh(): void;
  /** Run what `render` functions gave back to clean up. */
  dispose(): void;
}

/** Draw *items* into *containerEl*. */
export function drawDefinitions(containerEl: HTMLElement, items: readonly Item[], values: Values): Drawn {
  const drawing = new Drawing(values);
  drawing.items(containerEl, items);
  drawing.refresh();
  return drawing;
}

class Drawing implements Drawn {
  private readonly predicates: (() => void)[] = [];
  private readonly cleanups: (() => void)[] = [];

  constructor(private readonly values: Values) {}

  refresh(): void {
    for (const apply of this.predicates) apply();
  }

  dispose(): void {
    for (const cleanup of this.cleanups.splice(0)) cleanup();
  }

  items(containerEl: HTMLElement, items: readonly Item[]): void {
    let loose: SettingGroup | undefined; // rows outside any group share one, as in the app
    for (const item of items) {
      if ("type" in item && item.type !== "page") {
        loose = undefined;
        this.group(containerEl, item);
      } else {
        loose ??= new SettingGroup(containerEl);
        this.row(loose, item as Definition | Api.SettingDefinitionPage, loose.listEl.children.length);
      }
    }
  }

  private group(containerEl: HTMLElement, definition: Group): void {
    const groupEl = containerEl.createDiv({ cls: definition.cls });
    const group = new SettingGroup(groupEl);
    if (definition.heading) group.setHeading(definition.heading);
    for (const configure of definition.extraButtons ?? []) group.addExtraButton((button) => configure(button as unknown as Api.ExtraButtonComponent));
    this.whenVisible(groupEl, definition.visible);
    const rows = (definition.items ?? []).map((item, index) => ({ item, el: this.row(group, item, index) }));
    if ("search" in definition && definition.search) this.search(group, definition.search, rows);
    if (definition.type === "list") this.list(group, definition as Api.SettingDefinitionList, rows.map(({ el }) => el));
  }

  private search(group: SettingGroup, search: NonNullable<Group["search"]>, rows: { item: Api.SettingGroupItem; el: HTMLElement }[]): void {
    group.addSearch((input) =>
      input.setPlaceholder(search.placeholder ?? "").onChange((query) => {
        for (const { item, el } of rows) if (!("type" in item) && item.searchable !== false) el.toggle(search.match(item, query));
      }),
    );
  }

  private list(group: SettingGroup, list: Api.SettingDefinitionList, rows: HTMLElement[]): void {
    if (rows.length === 0 && list.emptyState) group.listEl.createDiv({ cls: "setting-list-empty", text: list.emptyState });
    const { onDelete, addItem } = list;
    rows.forEach((rowEl, index) => {
      if (!onDelete) return;
      const deleteEl = rowEl.createEl("button", { cls: "clickable-icon mod-delete", attr: { "aria-label": "Delete" } });
      deleteEl.addEventListener("click", () => onDelete(index));
    });
    if (!addItem) return;
    const addEl = group.listEl.createEl("button", { cls: "setting-list-add", text: addItem.name });
    addEl.addEventListener("click", () => addItem.action(addEl));
  }

  private row(group: SettingGroup, definition: Definition | Api.SettingDefinitionPage, index: number): HTMLElement {
    const setting = new Setting(group.listEl).setName(definition.name).setDesc(definition.desc ?? "");
    this.whenVisible(setting.settingEl, definition.visible);
    if ("type" in definition) this.page(setting, definition);
    else if (definition.control) this.control(setting, definition.control);
    else if (definition.action) this.action(setting, definition, index);
    else if (definition.render) this.rendered(setting, group, definition);
    return setting.settingEl;
  }

  private rendered(setting: Setting, group: SettingGroup, { render }: Api.SettingDefinitionRender): void {
    const cleanup = render(setting as unknown as Api.Setting, group as unknown as Api.SettingGroup);
    if (cleanup) this.cleanups.push(cleanup);
  }

  private action(setting: Setting, { action, disabled }: Api.SettingDefinitionAction, index: number): void {
    const rowEl = setting.settingEl;
    rowEl.addClass("mod-clickable");
    rowEl.addEventListener("click", () => {
      if (!asked(disabled)) action(rowEl, index);
    });
    this.predicates.push(() => rowEl.toggleClass("is-disabled", asked(disabled)));
  }

  /** A page opens below its row; the app slides it over the tab. */
  private page(setting: Setting, page: Api.SettingDefinitionPage): void {
    if (page.page) throw new Error(`the test host draws no SettingPage objects (page "${page.name}")`);
    const { displayValue } = page;
    setting.controlEl.createSpan({ cls: "setting-page-value", text: typeof displayValue === "function" ? displayValue() : (displayValue ?? "") });
    const bodyEl = setting.settingEl.parentElement!.createDiv({ cls: "setting-page" });
    bodyEl.hide();
    setting.settingEl.addClass("mod-clickable");
    setting.settingEl.addEventListener("click", () => bodyEl.toggle(!bodyEl.isShown()));
    this.items(bodyEl, page.items ?? []);
  }

  private control(setting: Setting, control: Api.SettingControl): void {
    const seed = this.values.getControlValue(control.key) ?? control.defaultValue;
    const store = (value: unknown): void => void this.store(setting, control, value);
    if (seed !== undefined) void this.complain(setting, control, seed);
    switch (control.type) {
      case "toggle":
        setting.addToggle((toggle) => toggle.setValue(Boolean(seed)).onChange(store));
        break;
      case "dropdown":
        setting.addDropdown((dropdown) => dropdown.addOptions(control.options).setValue(text(seed)).onChange(store));
        break;
      case "textarea":
        setting.addTextArea((area) => area.setPlaceholder(control.placeholder ?? "").setValue(text(seed)).onChange(store));
        break;
      case "slider":
        setting.addSlider((slider) => slider.setLimits(control.min, control.max, control.step).setValue(Number(seed)).onChange(store));
        break;
      case "number":
        setting.addText((input) => {
          Object.assign(input.inputEl, { type: "number", min: control.min ?? "", max: control.max ?? "", step: control.step ?? "" });
          input.setValue(text(seed)).onChange((value) => store(Number(value)));
        });
        break;
      case "text":
      case "file":
      case "folder":
        setting.addText((input) => input.setPlaceholder(control.placeholder ?? "").setValue(text(seed)).onChange(store));
        break;
      default:
        throw new Error(`the test host has no "${control.type}" setting control`);
    }
    this.predicates.push(() => setting.setDisabled(asked(control.disabled)));
  }

  private async store(setting: Setting, control: Api.SettingControl, value: unknown): Promise<void> {
    if (await this.complain(setting, control, value)) return;
    await this.values.setControlValue(control.key, value);
    this.refresh();
  }

  /** Show what `validate` has against *value*; true when there is something. */
  private async complain(setting: Setting, control: Api.SettingControl, value: unknown): Promise<boolean> {
    const validate = control.validate as ((value: unknown) => string | void | Promise<string | void>) | undefined;
    const complaint = await validate?.(value);
    setting.setErrorMessage(complaint || null);
    return Boolean(complaint);
  }

  private whenVisible(el: HTMLElement, visible: boolean | (() => boolean) | undefined): void {
    this.predicates.push(() => el.toggle(asked(visible, true)));
  }
}

function asked(answer: boolean | (() => boolean) | undefined, otherwise = false): boolean {
  return typeof answer === "function" ? answer() : (answer ?? otherwise);
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
