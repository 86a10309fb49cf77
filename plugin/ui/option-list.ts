/**
 * Which option of a list is selected, while the keyboard focus stays in the input (ARIA's combobox pattern).
 *
 * An option is anything with a key and an element.
 */

export interface Option {
  /** Unique in the list; independent of the position. */
  readonly key: string;
  /** The key of the option to select when this one disappears. */
  readonly parentKey?: string;
  readonly el: HTMLElement;
}

let lastId = 0; // ids must be unique in the document, which may have several panes

/** Gives an element the id, role and state of a listbox option. */
export function initOption(el: HTMLElement): void {
  lastId += 1;
  el.id = `quarry-option-${lastId}`;
  el.setAttrs({ role: "option", "aria-selected": "false" });
}

export class OptionList<T extends Option> {
  private options: readonly T[] = [];
  private current: T | null = null;

  /** `listId`: id of the listbox element. */
  constructor(
    private readonly input: HTMLInputElement,
    private readonly listId: string,
  ) {}

  get selected(): T | null {
    return this.current;
  }

  /** Replaces the options. With `keepsSelection` the selection stays on its key, or goes to its parent; else to the first. */
  setOptions(options: readonly T[], keepsSelection: boolean): void {
    const { current } = this;
    const find = (wanted: string | undefined): T | undefined => options.find(({ key }) => key === wanted);
    const kept = keepsSelection ? (find(current?.key) ?? find(current?.parentKey)) : undefined;
    this.options = options;
    this.select(kept ?? options[0] ?? null);
    this.input.setAttr("aria-expanded", String(options.length > 0));
  }

  selectKey(key: string): void {
    const option = this.options.find((candidate) => candidate.key === key);
    if (!option) return;
    this.select(option);
  }

  /** Moves the selection by `step` options and stops at the ends; true when it moved. */
  move(step: number): boolean {
    const from = this.current ? this.options.indexOf(this.current) : -1;
    const to = Math.min(Math.max(0, from + step), this.options.length - 1);
    const option = this.options[to];
    if (!option || option === this.current) return false;
    this.select(option);
    option.el.scrollIntoView({ block: "nearest" });
    return true;
  }

  /** Points the input's `aria-activedescendant` at the selected option. */
  updateAria(): void {
    this.input.setAttrs({ "aria-controls": this.listId, "aria-activedescendant": this.current?.el.id ?? null });
  }

  private select(option: T | null): void {
    if (this.current?.el !== option?.el) {
      this.current?.el.setAttr("aria-selected", "false");
      this.current?.el.removeClass("is-selected");
    }
    this.current = option;
    option?.el.setAttr("aria-selected", "true");
    option?.el.addClass("is-selected");
    this.updateAria();
  }
}
