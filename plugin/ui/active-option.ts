/** Which option does the search box point at, while it keeps the keyboard focus (ARIA's combobox pattern)? */

let lastId = 0; // ids must be unique in the document, which may have several panes

/** Gives an element the id, role and state of a listbox option. */
export function initOption(el: HTMLElement): void {
  lastId += 1;
  el.id = `quarry-option-${lastId}`;
  el.setAttrs({ role: "option", "aria-selected": "false" });
}

export class ActiveOption {
  private current: HTMLElement | null = null;

  /** `listId`: id of the listbox element. */
  constructor(
    private readonly input: HTMLInputElement,
    private readonly listId: string,
  ) {}

  get el(): HTMLElement | null {
    return this.current;
  }

  /** Marks `el` as selected and points the input at it; null when the list has no options. */
  show(el: HTMLElement | null): void {
    if (this.current !== el) {
      this.current?.setAttr("aria-selected", "false");
      this.current?.removeClass("is-selected");
    }
    this.current = el;
    el?.setAttr("aria-selected", "true");
    el?.addClass("is-selected");
    this.input.setAttr("aria-expanded", String(el !== null));
    this.updateAria();
  }

  /** Points the input's `aria-activedescendant` at the selected option. */
  updateAria(): void {
    this.input.setAttrs({ "aria-controls": this.listId, "aria-activedescendant": this.current?.id ?? null });
  }
}
