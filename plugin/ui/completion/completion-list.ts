/**
 * The suggestions under the search box, drawn over the rows so that nothing moves when they open and close.
 *
 * Tab accepts the active suggestion, or the first. The arrows move through the suggestions only when the typed part can be
 * nothing but query syntax, and Enter accepts one only after an arrow has made it active: a user who types the word
 * `task` and presses Down means the rows. Obsidian's own input suggestions always capture Enter and the arrows, and have no
 * roles for a screen reader.
 */
import { allOperators, type Completion, completionAt, type Suggestion, type VaultNames } from "./completion";
import { initOption } from "../list/elements";
import { t } from "../../i18n/translate";

export interface CompletionHandlers {
  readonly names: () => VaultNames;
  /** A suggestion was inserted into the box. */
  readonly accepted: () => void;
  /** No suggestion is active any more, so the box refers to the rows again. */
  readonly deactivated: () => void;
}

export interface CompletionList {
  /** Updates the suggestions after typing. */
  update(): void;
  /** Suggests all operators at the caret. */
  openAll(): void;
  close(): void;
  /** Says what the input controls and points at, after the row list has set it: the suggestions too, while they are open. */
  restoreAria(): void;
  /** Handles a key of the search box; true when it was for the suggestions. */
  handleKey(event: KeyboardEvent): boolean;
}

/** The suggestions for `input`, in `el`. */
export function completionList(el: HTMLElement, input: HTMLInputElement, { names, accepted, deactivated }: CompletionHandlers): CompletionList {
  let completion: Completion | null = null;
  let options: readonly HTMLElement[] = [];
  let activeAt: number | null = null;
  let vaultNames: VaultNames | null = null;

  const before = (): string => input.value.slice(0, input.selectionStart ?? input.value.length);
  const restoreAria = (): void => {
    if (!completion) return;
    const option = activeAt === null ? undefined : options[activeAt];
    if (option) input.setAttrs({ "aria-controls": el.id, "aria-activedescendant": option.id });
    else input.setAttr("aria-controls", [...new Set([...(input.getAttribute("aria-controls")?.split(" ") ?? []), el.id])].join(" "));
  };
  const activate = (at: number | null): void => {
    if (at === activeAt) return;
    activeAt = at;
    for (const [index, option] of options.entries()) {
      option.toggleClass("is-selected", index === at);
      option.setAttr("aria-selected", String(index === at));
    }
    if (at !== null) options[at]?.scrollIntoView({ block: "nearest" });
    if (at === null) deactivated();
    else restoreAria();
  };
  const draw = (suggestions: readonly Suggestion[]): void => {
    el.empty();
    el.toggleClass("is-sheet", suggestions.some(({ heading }) => heading !== undefined));
    options = suggestions.map(({ label, hint, heading }, index) => {
      if (heading !== undefined) el.createDiv({ cls: "quarry-completion-section", text: heading, attr: { role: "presentation" } });
      const option = el.createDiv({ cls: "suggestion-item quarry-completion" });
      initOption(option);
      option.createSpan({ cls: "quarry-completion-label", text: label, attr: { dir: "auto" } });
      option.createSpan({ cls: "quarry-completion-hint", text: hint });
      if (index === 0) option.createEl("kbd", { cls: "quarry-completion-key", text: "Tab", attr: { "aria-hidden": "true" } });
      return option;
    });
  };
  const show = (wanted: Completion | null): void => {
    const isSame = JSON.stringify(wanted?.suggestions) === JSON.stringify(completion?.suggestions);
    completion = wanted;
    if (!isSame) draw(wanted?.suggestions ?? []);
    activate(null);
    if (wanted === null) deactivated();
    else restoreAria();
    el.toggleClass("is-hidden", wanted === null);
  };
  const update = (): void => { show(completionAt(before(), () => (vaultNames ??= names()), new Date().getFullYear())); };
  const openAll = (): void => { show(allOperators(before())); };
  const close = (): void => {
    vaultNames = null; // collected again when it opens next, because notes change
    show(null);
  };
  /** Moves the active suggestion; moving up from the first deactivates it. */
  const move = (step: number): void => {
    const to = activeAt === null ? (step > 0 ? 0 : null) : Math.min(activeAt + step, options.length - 1);
    activate(to === null || to < 0 ? null : to);
  };
  const accept = (at: number): void => {
    const suggestion = completion?.suggestions[at];
    if (!suggestion || !completion) return;
    const start = completion.from;
    const caret = start + suggestion.text.length;
    const after = input.value.slice(before().length);
    input.value = input.value.slice(0, start) + suggestion.text + suggestion.closing + after;
    input.focus();
    input.setSelectionRange(caret, caret);
    accepted();
  };
  const handleKey = ({ key, altKey, ctrlKey, metaKey, shiftKey, isComposing }: KeyboardEvent): boolean => {
    if (isComposing || altKey || metaKey || shiftKey) return false;
    if (!completion || ctrlKey) return false;
    switch (key) {
      case "Tab":
        accept(activeAt ?? 0);
        return true;
      case "Enter":
        if (activeAt === null) return false;
        accept(activeAt);
        return true;
      case "Escape":
        close();
        return true;
      case "ArrowDown":
      case "ArrowUp":
        if (completion.isCertain) move(key === "ArrowDown" ? 1 : -1);
        return completion.isCertain;
      case "ArrowLeft":
      case "ArrowRight":
      case "Home":
      case "End":
        close(); // the caret moves away
        return false;
      default:
        return false;
    }
  };
  el.setAttrs({ role: "listbox", "aria-label": t("pane.completions") });
  // Pressing the mouse button must not take the focus from the box, which would close the list before the click.
  el.addEventListener("mousedown", (event) => {
    event.preventDefault();
  });
  el.addEventListener("click", ({ target }) => {
    const at = options.findIndex((option) => option.contains(target as Node | null));
    if (at >= 0) accept(at);
  });
  return { update, openAll, close, restoreAria, handleKey };
}
