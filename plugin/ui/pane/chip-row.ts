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

/** Chips in `el`; the result shows those of an answer. */
export function chipRow(el: HTMLElement, { take, leave }: ChipHandlers): (chips: readonly Chip[]) => void {
  let shown: readonly Chip[] = [];
  let buttons: readonly HTMLElement[] = [];
  let focusAt: number | null = null; // where a chip was taken away, until those of the next answer are there

  const takeAt = (at: number): void => {
    const rest = shown[at]?.rest ?? null;
    if (rest === null) return;
    focusAt = buttons[at] === el.doc.activeElement ? at : null;
    take(rest);
  };
  const draw = ({ text, rest, readAs }: Chip, at: number): HTMLElement => {
    const button = el.createEl("button", { cls: "quarry-chip", attr: { tabindex: at === 0 ? 0 : -1 } });
    button.createSpan({ cls: "quarry-chip-text", text, attr: { dir: "auto" } });
    button.setAttr("aria-disabled", String(rest === null));
    setTooltip(button, readAs === undefined ? t(rest === null ? "chip.fixed" : "chip.remove", { filter: text }) : t("chip.time", { words: text, filter: readAs }));
    if (rest !== null) setIcon(button.createSpan({ cls: "quarry-chip-remove" }), "x");
    button.addEventListener("click", () => { takeAt(at); });
    return button;
  };
  /** Focuses the chip at `at`, the last one where there are fewer, the box where there is none. */
  const focus = (at: number): void => {
    const button = buttons[Math.min(at, buttons.length - 1)];
    for (const each of buttons) each.tabIndex = each === button ? 0 : -1;
    if (button) button.focus();
    else leave();
  };

  el.setAttrs({ role: "toolbar", "aria-label": t("chip.all") });
  el.addEventListener("keydown", (event) => {
    const at = buttons.findIndex((button) => button === event.target);
    const step = el.win.getComputedStyle(el).direction === "rtl" ? -1 : 1;
    if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const actions: Readonly<Record<string, () => void>> = {
      ArrowRight: () => { focus(Math.max(0, at + step)); },
      ArrowLeft: () => { focus(Math.max(0, at - step)); },
      Home: () => { focus(0); },
      End: () => { focus(buttons.length - 1); },
      Backspace: () => { takeAt(at); },
      Delete: () => { takeAt(at); },
      Escape: leave,
    };
    const act = actions[event.key];
    if (!act) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  });
  return (chips) => {
    if (!isToDraw(el, chips)) return;
    shown = chips;
    el.empty();
    buttons = chips.map(draw);
    if (focusAt !== null) focus(focusAt);
    focusAt = null;
  };
}

export interface Chip {
  /** The part as it was typed: `folder:Work`, `-#draft`. */
  readonly text: string;
  /** The query without it; null where the rest would mean something else. */
  readonly rest: string | null;
  /** The filter that plain words about time were read as. */
  readonly readAs?: string;
}

/** The parts of `query` that are shown as chips, in order. */
export function chipsOf(query: string, clauses: readonly Clause[]): readonly Chip[] {
  return clauses.map(({ kind, start, end, value, removable }) => {
    const [before, text, behind] = [query.slice(0, start), query.slice(start, end).trim(), query.slice(end)];
    if (kind === "time") return { text, rest: `${before}(${text})${behind}`, readAs: value }; // words, in parentheses
    return { text, rest: removable ? (before + behind).trim() : null };
  });
}
