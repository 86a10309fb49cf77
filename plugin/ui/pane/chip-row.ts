/**
 * The filters of the query as chips, in one line of fixed height that scrolls sideways. The text in the box stays the truth:
 * a chip shows a part of it, and takes that part out.
 *
 * The chips are one tab stop. The arrows move between them; Backspace, Delete and Enter take the focused one away.
 */
import { setIcon, setTooltip } from "obsidian";
import { t } from "../../i18n/translate";
import { type Answer, queryWithout } from "../../search/answer";
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
  const tipOf = ({ text, rest, readAs, isIgnored = false }: Chip): string => {
    if (isIgnored) return t("chip.ignored", { filter: text });
    return readAs === undefined ? t(rest === null ? "chip.fixed" : "chip.remove", { filter: text }) : t("chip.time", { words: text, filter: readAs });
  };
  const draw = (chip: Chip, at: number): HTMLElement => {
    const { text, rest, isIgnored = false } = chip;
    const button = el.createEl("button", { cls: "quarry-chip", attr: { tabindex: at === 0 ? 0 : -1 } });
    button.createEl(isIgnored ? "s" : "span", { cls: "quarry-chip-text", text, attr: { dir: "auto" } });
    button.setAttr("aria-disabled", String(rest === null));
    setTooltip(button, tipOf(chip));
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
  /** The notes are shown although it is not met. */
  readonly isIgnored?: boolean;
}

/** The parts of the query of `answer` that are shown as chips, in order. */
export function chipsOf(answer: Pick<Answer, "query" | "clauses" | "relaxed">): readonly Chip[] {
  const ignored = answer.relaxed?.step === "as-words" ? "time" : answer.relaxed?.step === "any-passage" ? "phrase" : null;
  return answer.clauses.map(({ kind, start, end, value }, at) => {
    const text = answer.query.slice(start, end).trim();
    return { text, rest: queryWithout(answer, at), ...(kind === ignored && { isIgnored: true }), ...(kind === "time" && { readAs: value }) };
  });
}
