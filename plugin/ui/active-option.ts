/** Which option is selected, while another element keeps the keyboard focus: a combobox, or the listbox itself (ARIA's patterns)? */

let lastId = 0; // ids must be unique in the document, which may have several lists

/** Gives an element the id, role and state of a listbox option. */
export function initOption(el: HTMLElement): void {
  lastId += 1;
  el.id = `quarry-option-${lastId}`;
  el.setAttrs({ role: "option", "aria-selected": "false" });
}

export class ActiveOption {
  private current: HTMLElement | null = null;

  /** `input`: the box that points at the options; null where the list itself has the focus. */
  constructor(
    private readonly input: HTMLInputElement | null,
    private readonly listEl: HTMLElement,
  ) {}

  get el(): HTMLElement | null {
    return this.current;
  }

  /** Marks `el` as selected and points at it; null when the list has no options. */
  show(el: HTMLElement | null): void {
    if (this.current !== el) {
      this.current?.setAttr("aria-selected", "false");
      this.current?.removeClass("is-selected");
    }
    this.current = el;
    el?.setAttr("aria-selected", "true");
    el?.addClass("is-selected");
    this.input?.setAttr("aria-expanded", String(el !== null));
    this.updateAria();
  }

  /** Points `aria-activedescendant` at the selected option. */
  updateAria(): void {
    this.input?.setAttr("aria-controls", this.listEl.id);
    (this.input ?? this.listEl).setAttr("aria-activedescendant", this.current?.id ?? null);
  }
}
