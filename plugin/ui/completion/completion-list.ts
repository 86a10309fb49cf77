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

export class CompletionList {
  #completion: Completion | null = null;
  #options: readonly HTMLElement[] = [];
  #active: number | null = null;
  #names: VaultNames | null = null;

  constructor(
    private readonly el: HTMLElement,
    private readonly input: HTMLInputElement,
    private readonly handlers: CompletionHandlers,
  ) {
    el.setAttrs({ role: "listbox", "aria-label": t("pane.completions") });
    // Pressing the mouse button must not take the focus from the box, which would close the list before the click.
    el.addEventListener("mousedown", (event) => {
      event.preventDefault();
    });
    el.addEventListener("click", ({ target }) => {
      const at = this.#options.findIndex((option) => option.contains(target as Node | null));
      if (at >= 0) this.#accept(at);
    });
  }

  /** Updates the suggestions after typing. */
  update(): void {
    this.#show(completionAt(this.#before, () => (this.#names ??= this.handlers.names()), new Date().getFullYear()));
  }

  /** Suggests all operators at the caret. */
  openAll(): void {
    this.#show(allOperators(this.#before));
  }

  close(): void {
    this.#names = null; // collected again when it opens next, because notes change
    this.#show(null);
  }

  /** Says what the input controls and points at, after the row list has set it: the suggestions too, while they are open. */
  restoreAria(): void {
    if (!this.#completion) return;
    const option = this.#active === null ? undefined : this.#options[this.#active];
    if (option) this.input.setAttrs({ "aria-controls": this.el.id, "aria-activedescendant": option.id });
    else this.input.setAttr("aria-controls", [...new Set([...(this.input.getAttribute("aria-controls")?.split(" ") ?? []), this.el.id])].join(" "));
  }

  /** Handles a key of the search box; true when it was for the suggestions. */
  handleKey({ key, altKey, ctrlKey, metaKey, shiftKey, isComposing }: KeyboardEvent): boolean {
    if (isComposing || altKey || metaKey || shiftKey) return false;
    if (key === " " && ctrlKey) {
      this.openAll();
      return true;
    }
    if (!this.#completion || ctrlKey) return false;
    switch (key) {
      case "Tab":
        this.#accept(this.#active ?? 0);
        return true;
      case "Enter":
        if (this.#active === null) return false;
        this.#accept(this.#active);
        return true;
      case "Escape":
        this.close();
        return true;
      case "ArrowDown":
      case "ArrowUp":
        if (this.#completion.isCertain) this.#move(key === "ArrowDown" ? 1 : -1);
        return this.#completion.isCertain;
      case "ArrowLeft":
      case "ArrowRight":
      case "Home":
      case "End":
        this.close(); // the caret moves away
        return false;
      default:
        return false;
    }
  }

  get #before(): string {
    return this.input.value.slice(0, this.input.selectionStart ?? this.input.value.length);
  }

  #show(completion: Completion | null): void {
    const isSame = JSON.stringify(completion?.suggestions) === JSON.stringify(this.#completion?.suggestions);
    this.#completion = completion;
    if (!isSame) this.#draw(completion?.suggestions ?? []);
    this.#activate(null);
    if (completion === null) this.handlers.deactivated();
    else this.restoreAria();
    this.el.toggleClass("is-hidden", completion === null);
  }

  #draw(suggestions: readonly Suggestion[]): void {
    this.el.empty();
    this.el.toggleClass("is-sheet", suggestions.some(({ heading }) => heading !== undefined));
    this.#options = suggestions.map(({ label, hint, heading }, index) => {
      if (heading !== undefined) this.el.createDiv({ cls: "quarry-completion-section", text: heading, attr: { role: "presentation" } });
      const option = this.el.createDiv({ cls: "suggestion-item quarry-completion" });
      initOption(option);
      option.createSpan({ cls: "quarry-completion-label", text: label, attr: { dir: "auto" } });
      option.createSpan({ cls: "quarry-completion-hint", text: hint });
      if (index === 0) option.createEl("kbd", { cls: "quarry-completion-key", text: "Tab", attr: { "aria-hidden": "true" } });
      return option;
    });
  }

  /** Moves the active suggestion; moving up from the first deactivates it. */
  #move(step: number): void {
    const to = this.#active === null ? (step > 0 ? 0 : null) : Math.min(this.#active + step, this.#options.length - 1);
    this.#activate(to === null || to < 0 ? null : to);
  }

  #activate(at: number | null): void {
    if (at === this.#active) return;
    this.#active = at;
    for (const [index, option] of this.#options.entries()) {
      option.toggleClass("is-selected", index === at);
      option.setAttr("aria-selected", String(index === at));
    }
    if (at !== null) this.#options[at]?.scrollIntoView({ block: "nearest" });
    if (at === null) this.handlers.deactivated();
    else this.restoreAria();
  }

  #accept(at: number): void {
    const suggestion = this.#completion?.suggestions[at];
    if (!suggestion || !this.#completion) return;
    const { input } = this;
    const start = this.#completion.from;
    const caret = start + suggestion.text.length;
    const after = input.value.slice(this.#before.length);
    input.value = input.value.slice(0, start) + suggestion.text + suggestion.closing + after;
    input.focus();
    input.setSelectionRange(caret, caret);
    this.handlers.accepted();
  }
}
