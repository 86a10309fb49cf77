/** Small parts of a list's elements: options, buttons, menus, announcements, a delayed flag, and drawing no more than differs. */
import { type Component, type Menu, setIcon, setTooltip } from "obsidian";
import { type Cancel, type Clock } from "../../clock";

let lastId = 0; // ids must be unique in the document, which may have several lists

/** Gives an element the id, role and state of a listbox option. */
export function initOption(el: HTMLElement): HTMLElement {
  lastId += 1;
  el.id = `quarry-option-${lastId}`;
  el.setAttrs({ role: "option", "aria-selected": "false" });
  return el;
}

export class ActiveOption {
  #current: HTMLElement | null = null;

  /** `input`: the box that points at the options; null where the list itself has the focus. */
  constructor(
    private readonly input: HTMLInputElement | null,
    private readonly listEl: HTMLElement,
  ) {}

  get el(): HTMLElement | null {
    return this.#current;
  }

  /** Marks `el` as selected and points at it; null when the list has no options. */
  show(el: HTMLElement | null): void {
    if (this.#current !== el) {
      this.#current?.setAttr("aria-selected", "false");
      this.#current?.removeClass("is-selected");
    }
    this.#current = el;
    if (el) showAttr(el, "aria-selected", "true");
    if (el) showClass(el, "is-selected", true);
    if (this.input) showAttr(this.input, "aria-expanded", String(el !== null));
    this.updateAria();
  }

  /** Points `aria-activedescendant` at the selected option. */
  updateAria(): void {
    if (this.input) showAttr(this.input, "aria-controls", this.listEl.id);
    showAttr(this.input ?? this.listEl, "aria-activedescendant", this.#current?.id ?? null);
  }
}

/** A button that shows an icon alone; `tip` is its name. */
export function iconButton(parent: HTMLElement, icon: string, tip: string, run: (event: MouseEvent) => void, info: DomElementInfo = { cls: "clickable-icon" }): HTMLElement {
  const button = parent.createEl("button", info);
  setIcon(button, icon);
  setTooltip(button, tip);
  button.addEventListener("click", run);
  return button;
}

export function addMenuItem(menu: Menu, title: string, icon: string, run: () => void, section = ""): void {
  menu.addItem((item) => {
    item.setTitle(title).setIcon(icon).onClick(run);
    if (section !== "") item.setSection(section);
  });
}

export function showMenuBelow(menu: Menu, el: HTMLElement): void {
  const { left, bottom } = el.getBoundingClientRect();
  menu.showAtPosition({ x: left, y: bottom }, el.doc);
}

// --- drawing no more than differs -----------------------------------------------------------------

const drawn = new WeakMap<HTMLElement, string>();

/** Whether `content` is other than what was drawn in `el` last. Nodes that are not drawn again keep the focus and a text selection. */
export function isToDraw(el: HTMLElement, content: unknown): boolean {
  const wanted = JSON.stringify(content);
  if (drawn.get(el) === wanted) return false;
  drawn.set(el, wanted);
  return true;
}

/** Sets the text, keeping the text node when it is the same. */
export function setText(el: HTMLElement, text: string): void {
  if (el.textContent !== text) el.setText(text);
}

/** Sets the attribute, or takes it away, unless it is so already: the same value once more would be styled once more. */
export function showAttr(el: HTMLElement, name: string, value: string | null): void {
  if (el.getAttribute(name) !== value) el.setAttr(name, value);
}

/** Sets the class, or takes it away, unless it is so already. */
export function showClass(el: HTMLElement, name: string, isOn: boolean): void {
  if (el.hasClass(name) !== isOn) el.toggleClass(name, isOn);
}

/** As `setText`; an element without text takes no room. */
export function showText(el: HTMLElement, text: string): void {
  setText(el, text);
  showClass(el, "is-hidden", text === "");
}

/** Brings `els` into `parent` in this order, before any other element. One that only goes up or down is moved alone. */
export function arrange(parent: HTMLElement, els: Iterable<Element>): void {
  let next = parent.firstElementChild;
  for (const el of els) {
    if (next && next !== el && next.nextElementSibling === el) {
      next.remove(); // goes further down, where its turn comes
      next = el;
    }
    if (el === next) next = el.nextElementSibling;
    else parent.insertBefore(el, next);
  }
}

// --- telling what happens -------------------------------------------------------------------------

const DELAY_MS = 150; // most answers arrive sooner, and then nothing flickers

/** A flag that `show` is called with: true `DELAY_MS` after it was set, false at once. Setting it again does not restart the delay. */
export function delayedFlag(clock: Clock, show: (isOn: boolean) => void): (isSet: boolean) => void {
  let was = false;
  let cancel: Cancel = () => undefined;
  return (isSet) => {
    if (isSet === was) return;
    was = isSet;
    cancel();
    if (isSet) cancel = clock.after(DELAY_MS, () => { show(true); });
    else show(false);
  };
}

const INAUDIBLE = "\u00a0"; // a screen reader announces a text that changed, and reads no space at its end

/**
 * Announcements for screen readers: the state of the pane when it changes, and single events.
 *
 * The element is clipped, never hidden: screen readers skip a live region that was hidden when its text changed.
 */
export class LiveRegion {
  #state = "";

  constructor(private readonly el: HTMLElement) {}

  /** Announces the state of the pane, unless it is the one announced last. */
  announceState(text: string): void {
    if (text === this.#state) return;
    this.#state = text;
    this.el.setText(text);
  }

  /** Announces `text`, also when it equals the last announcement: an event that happens twice is announced twice. */
  announceEvent(text: string): void {
    this.el.setText(this.el.textContent === text ? text + INAUDIBLE : text);
  }
}

/** Calls `change` when `el` comes into sight or leaves it, until `owner` is unloaded. Until the first call it is out of sight. */
export function watchSight(owner: Component, el: HTMLElement, change: (isInSight: boolean) => void): void {
  let was = false;
  const observer = new IntersectionObserver((entries) => {
    const is = entries.at(-1)?.isIntersecting ?? false;
    if (is === was) return;
    was = is;
    change(is);
  });
  observer.observe(el);
  owner.register(() => { observer.disconnect(); });
}
