/** The form controls that Obsidian offers to plugins, and their behaviour. */
import { setIcon, setTooltip } from "./icons";

export class BaseComponent {
  disabled = false;

  setDisabled(disabled: boolean): this {
    this.disabled = disabled;
    return this;
  }
}

export abstract class ValueComponent<T> extends BaseComponent {
  private changed: ((value: T) => unknown) | undefined;

  abstract getValue(): T;
  abstract setValue(value: T): this;

  onChange(callback: (value: T) => unknown): this {
    this.changed = callback;
    return this;
  }

  onChanged(): void {
    this.changed?.(this.getValue());
  }
}

export abstract class AbstractTextComponent<E extends HTMLInputElement | HTMLTextAreaElement> extends ValueComponent<string> {
  constructor(readonly inputEl: E) {
    super();
    inputEl.spellcheck = false;
    inputEl.addEventListener("input", () => this.onChanged());
  }

  getValue(): string {
    return this.inputEl.value;
  }

  setValue(value: string): this {
    this.inputEl.value = value;
    return this;
  }

  setPlaceholder(placeholder: string): this {
    this.inputEl.placeholder = placeholder;
    return this;
  }

  override setDisabled(disabled: boolean): this {
    this.inputEl.disabled = disabled;
    return super.setDisabled(disabled);
  }
}

export class TextComponent extends AbstractTextComponent<HTMLInputElement> {
  constructor(containerEl: HTMLElement) {
    super(containerEl.createEl("input", { type: "text" }));
  }
}

export class TextAreaComponent extends AbstractTextComponent<HTMLTextAreaElement> {
  constructor(containerEl: HTMLElement) {
    super(containerEl.createEl("textarea"));
  }
}

export class SearchComponent extends AbstractTextComponent<HTMLInputElement> {
  readonly containerEl: HTMLElement;
  readonly clearButtonEl: HTMLElement;

  constructor(containerEl: HTMLElement) {
    const box = containerEl.createDiv({ cls: "search-input-container" });
    super(box.createEl("input", { type: "search", attr: { enterkeyhint: "search" } }));
    this.containerEl = box;
    this.clearButtonEl = box.createDiv({ cls: "search-input-clear-button", attr: { "aria-label": "Clear search" } });
    this.clearButtonEl.addEventListener("click", () => {
      this.setValue("");
      this.onChanged();
      this.inputEl.focus();
    });
  }
}

export class ButtonComponent extends BaseComponent {
  readonly buttonEl: HTMLButtonElement;
  private clicked: ((event: MouseEvent) => unknown) | undefined;

  constructor(containerEl: HTMLElement) {
    super();
    this.buttonEl = containerEl.createEl("button");
    this.buttonEl.addEventListener("click", (event) => this.clicked?.(event));
  }

  setButtonText(text: string): this {
    this.buttonEl.setText(text);
    return this;
  }

  setIcon(id: string): this {
    setIcon(this.buttonEl, id);
    return this;
  }

  setCta(): this {
    this.buttonEl.addClass("mod-cta");
    return this;
  }

  override setDisabled(disabled: boolean): this {
    this.buttonEl.disabled = disabled;
    return super.setDisabled(disabled);
  }

  onClick(callback: (event: MouseEvent) => unknown): this {
    this.clicked = callback;
    return this;
  }
}

export class ToggleComponent extends ValueComponent<boolean> {
  readonly toggleEl: HTMLElement;

  constructor(containerEl: HTMLElement) {
    super();
    this.toggleEl = containerEl.createDiv({ cls: "checkbox-container" });
    this.toggleEl.createEl("input", { type: "checkbox", attr: { tabindex: 0 } });
    this.toggleEl.addEventListener("click", (event) => {
      event.preventDefault();
      if (!this.disabled) this.setValue(!this.getValue());
    });
  }

  getValue(): boolean {
    return this.toggleEl.hasClass("is-enabled");
  }

  setValue(on: boolean): this {
    const before = this.getValue();
    this.toggleEl.toggleClass("is-enabled", on);
    if (before !== on) this.onChanged();
    return this;
  }

  override setDisabled(disabled: boolean): this {
    this.toggleEl.toggleClass("is-disabled", disabled);
    return super.setDisabled(disabled);
  }
}

export class DropdownComponent extends ValueComponent<string> {
  readonly selectEl: HTMLSelectElement;

  constructor(containerEl: HTMLElement) {
    super();
    this.selectEl = containerEl.createEl("select", { cls: "dropdown" });
    this.selectEl.addEventListener("change", () => this.onChanged());
  }

  addOption(value: string, text: string): this {
    this.selectEl.createEl("option", { text, value });
    return this;
  }

  addOptions(options: Record<string, string>): this {
    for (const [value, text] of Object.entries(options)) this.addOption(value, text);
    return this;
  }

  getValue(): string {
    return this.selectEl.value;
  }

  setValue(value: string): this {
    this.selectEl.value = value;
    return this;
  }

  override setDisabled(disabled: boolean): this {
    this.selectEl.disabled = disabled;
    return super.setDisabled(disabled);
  }
}

export class SliderComponent extends ValueComponent<number> {
  readonly sliderEl: HTMLInputElement;

  constructor(containerEl: HTMLElement) {
    super();
    this.sliderEl = containerEl.createEl("input", { cls: "slider", type: "range" });
    this.sliderEl.addEventListener("change", () => this.onChanged());
  }

  setLimits(min: number | null, max: number | null, step: number | "any"): this {
    this.sliderEl.setAttrs({ min, max, step });
    return this;
  }

  getValue(): number {
    return this.sliderEl.valueAsNumber;
  }

  setValue(value: number): this {
    this.sliderEl.valueAsNumber = value;
    return this;
  }

  override setDisabled(disabled: boolean): this {
    this.sliderEl.disabled = disabled;
    return super.setDisabled(disabled);
  }
}
