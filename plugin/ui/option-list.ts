/**
 * Which entry of a list is selected, while the keyboard focus stays in the input (the combobox pattern of ARIA).
 *
 * It knows nothing of what the entries are: anything with a key and an element.
 */

export interface Option {
  /** Stays the same for the same thing, wherever in the list it stands. */
  readonly key: string;
  readonly el: HTMLElement;
}

let lastId = 0; // ids are per document, and two panes may be open in one

/** Makes an element an entry of a listbox. */
export function asOption(el: HTMLElement): void {
  lastId += 1;
  el.id = `quarry-option-${lastId}`;
  el.setAttrs({ role: "option", "aria-selected": "false" });
}

export class OptionList<T extends Option> {
  private options: readonly T[] = [];
  private current: T | null = null;

  /** `listId` is the id of the element that the entries are in. */
  constructor(
    private readonly input: HTMLInputElement,
    private readonly listId: string,
  ) {}

  get selected(): T | null {
    return this.current;
  }

  /** Takes the entries as they stand now; the selection stays on its key if it is to and can, else goes to the first. */
  setOptions(options: readonly T[], keepsSelection: boolean): void {
    const kept = keepsSelection ? options.find(({ key }) => key === this.current?.key) : undefined;
    this.options = options;
    this.mark(kept ?? options[0] ?? null);
    this.input.setAttr("aria-expanded", String(options.length > 0));
  }

  choose(key: string): void {
    const option = this.options.find((candidate) => candidate.key === key);
    if (!option) return;
    this.mark(option);
  }

  /** Moves by `step` entries and stops at the ends. Gives whether it moved. */
  move(step: number): boolean {
    const from = this.current ? this.options.indexOf(this.current) : -1;
    const to = Math.min(Math.max(0, from + step), this.options.length - 1);
    const option = this.options[to];
    if (!option || option === this.current) return false;
    this.mark(option);
    option.el.scrollIntoView({ block: "nearest" });
    return true;
  }

  /** Says which entry is selected, after someone else has said what is. */
  speak(): void {
    this.input.setAttrs({ "aria-controls": this.listId, "aria-activedescendant": this.current?.el.id ?? null });
  }

  private mark(option: T | null): void {
    if (this.current?.el !== option?.el) {
      this.current?.el.setAttr("aria-selected", "false");
      this.current?.el.removeClass("is-selected");
    }
    this.current = option;
    option?.el.setAttr("aria-selected", "true");
    option?.el.addClass("is-selected");
    this.speak();
  }
}
