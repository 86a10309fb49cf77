/**
 * The filters of the query as chips, in one line of fixed height that scrolls sideways. The text in the box stays the truth:
 * a chip shows a part of it, and takes that part out.
 *
 * The chips are one tab stop. The arrows move between them; Backspace, Delete and Enter take the focused one away.
 */
import { setIcon, setTooltip } from "obsidian";
import { t } from "../../i18n/translate";
import { type Clause } from "../../protocol/messages";
import { isToDraw } from "../list/elements";

export interface ChipHandlers {
  /** The query is to be this: one without the chip. */
  readonly take: (rest: string) => void;
  /** The focus leaves the chips for the box. */
  readonly leave: () => void;
}

export class ChipRow {
  #chips: readonly Chip[] = [];
  #buttons: readonly HTMLElement[] = [];
  #focusAt: number | null = null; // where a chip was taken away, until those of the next answer are there

  constructor(
    private readonly el: HTMLElement,
    private readonly handlers: ChipHandlers,
  ) {
    el.setAttrs({ role: "toolbar", "aria-label": t("chip.all") });
    el.addEventListener("keydown", (event) => { this.#onKey(event); });
  }

  show(chips: readonly Chip[]): void {
    if (!isToDraw(this.el, chips)) return;
    this.#chips = chips;
    this.el.empty();
    this.#buttons = chips.map((chip, at) => this.#draw(chip, at));
    if (this.#focusAt !== null) this.#focus(this.#focusAt);
    this.#focusAt = null;
  }

  #draw({ text, rest }: Chip, at: number): HTMLElement {
    const button = this.el.createEl("button", { cls: "quarry-chip", attr: { tabindex: at === 0 ? 0 : -1 } });
    button.createSpan({ cls: "quarry-chip-text", text, attr: { dir: "auto" } });
    button.setAttr("aria-disabled", String(rest === null));
    setTooltip(button, t(rest === null ? "chip.fixed" : "chip.remove", { filter: text }));
    if (rest !== null) setIcon(button.createSpan({ cls: "quarry-chip-remove" }), "x");
    button.addEventListener("click", () => { this.#take(at); });
    return button;
  }

  #take(at: number): void {
    const rest = this.#chips[at]?.rest ?? null;
    if (rest === null) return;
    this.#focusAt = this.#buttons[at] === this.el.doc.activeElement ? at : null;
    this.handlers.take(rest);
  }

  /** Focuses the chip at `at`, the last one where there are fewer, the box where there is none. */
  #focus(at: number): void {
    const button = this.#buttons[Math.min(at, this.#buttons.length - 1)];
    if (!button) {
      this.handlers.leave();
      return;
    }
    for (const each of this.#buttons) each.tabIndex = each === button ? 0 : -1;
    button.focus();
  }

  #onKey(event: KeyboardEvent): void {
    const at = this.#buttons.findIndex((button) => button === event.target);
    const step = this.el.win.getComputedStyle(this.el).direction === "rtl" ? -1 : 1;
    if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    switch (event.key) {
      case "ArrowRight":
        this.#focus(Math.max(0, at + step));
        break;
      case "ArrowLeft":
        this.#focus(Math.max(0, at - step));
        break;
      case "Home":
        this.#focus(0);
        break;
      case "End":
        this.#focus(this.#buttons.length - 1);
        break;
      case "Backspace":
      case "Delete":
        this.#take(at);
        break;
      case "Escape":
        this.handlers.leave();
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

export interface Chip {
  /** The part as it was typed: `folder:Work`, `-#draft`. */
  readonly text: string;
  /** The query without it; null where the rest would mean something else. */
  readonly rest: string | null;
}

/** The parts of `query` that are shown as chips, in order. */
export function chipsOf(query: string, clauses: readonly Clause[]): readonly Chip[] {
  return clauses.map(({ start, end, removable }) => ({
    text: query.slice(start, end).trim(),
    rest: removable ? (query.slice(0, start) + query.slice(end)).trim() : null,
  }));
}
