/**
 * The suggestions under the search box: drawn over the rows, so that nothing moves when they come and go.
 *
 * Tab takes the marked one, or the first. The arrows go through them only where what is typed can be nothing but the query
 * language, and Enter takes one only when an arrow has marked it: a person who types the word `task` and goes down means
 * the rows. Obsidian's own input suggestions take Enter and the arrows always, and tell a screen reader nothing.
 */
import { type Completion, type Suggestion, type VaultNames, completionAt, everyOperator } from "./completing";
import { asOption } from "./option-list";
import { TEXT } from "./wording";

export interface CompletionHandlers {
  readonly names: () => VaultNames;
  /** A suggestion was put into the box. */
  readonly taken: () => void;
  /** No suggestion is marked any more: the box speaks of the rows again. */
  readonly unmarked: () => void;
}

export class CompletionList {
  private completion: Completion | null = null;
  private options: readonly HTMLElement[] = [];
  private marked: number | null = null;
  private names: VaultNames | null = null;

  constructor(
    private readonly el: HTMLElement,
    private readonly input: HTMLInputElement,
    private readonly handlers: CompletionHandlers,
  ) {
    el.setAttrs({ role: "listbox", "aria-label": TEXT.completionsLabel });
    // Not `click` alone: pressing the button would take the focus from the box, and that closes the list.
    el.addEventListener("mousedown", (event) => {
      event.preventDefault();
    });
    el.addEventListener("click", ({ target }) => {
      const at = this.options.findIndex((option) => option.contains(target as Node | null));
      if (at >= 0) this.take(at);
    });
  }

  /** After something was typed. */
  update(): void {
    this.show(completionAt(this.before, () => (this.names ??= this.handlers.names()), new Date().getFullYear()));
  }

  /** Everything that can be typed, at the caret. */
  openAll(): void {
    this.show(everyOperator(this.before));
  }

  close(): void {
    this.names = null; // counted anew for the next time: notes change
    this.show(null);
  }

  /** Says which suggestion is marked, after someone else has said what is. */
  speak(): void {
    const option = this.marked === null ? undefined : this.options[this.marked];
    if (option) this.input.setAttrs({ "aria-controls": this.el.id, "aria-activedescendant": option.id });
  }

  /** Gives whether the key was for the suggestions. */
  takesKey({ key, altKey, ctrlKey, metaKey, shiftKey, isComposing }: KeyboardEvent): boolean {
    if (isComposing || altKey || metaKey || shiftKey) return false;
    if (key === " " && ctrlKey) {
      this.openAll();
      return true;
    }
    if (!this.completion || ctrlKey) return false;
    switch (key) {
      case "Tab":
        this.take(this.marked ?? 0);
        return true;
      case "Enter":
        if (this.marked === null) return false;
        this.take(this.marked);
        return true;
      case "Escape":
        this.close();
        return true;
      case "ArrowDown":
      case "ArrowUp":
        if (this.completion.isCertain) this.move(key === "ArrowDown" ? 1 : -1);
        return this.completion.isCertain;
      case "ArrowLeft":
      case "ArrowRight":
      case "Home":
      case "End":
        this.close(); // the caret leaves the place they were for
        return false;
      default:
        return false;
    }
  }

  private get before(): string {
    return this.input.value.slice(0, this.input.selectionStart ?? this.input.value.length);
  }

  private show(completion: Completion | null): void {
    const isSame = JSON.stringify(completion?.suggestions) === JSON.stringify(this.completion?.suggestions);
    this.completion = completion;
    if (!isSame) this.draw(completion?.suggestions ?? []);
    this.mark(null);
    this.el.toggleClass("is-hidden", completion === null);
  }

  private draw(suggestions: readonly Suggestion[]): void {
    this.el.empty();
    this.options = suggestions.map(({ label, hint }, index) => {
      const option = this.el.createDiv({ cls: "suggestion-item quarry-completion" });
      asOption(option);
      option.createSpan({ cls: "quarry-completion-label", text: label, attr: { dir: "auto" } });
      option.createSpan({ cls: "quarry-completion-hint", text: hint });
      if (index === 0) option.createEl("kbd", { cls: "quarry-completion-key", text: "Tab", attr: { "aria-hidden": "true" } });
      return option;
    });
  }

  /** Up from the first is back in the text. */
  private move(step: number): void {
    const to = this.marked === null ? (step > 0 ? 0 : null) : Math.min(this.marked + step, this.options.length - 1);
    this.mark(to === null || to < 0 ? null : to);
  }

  private mark(at: number | null): void {
    if (at === this.marked) return;
    this.marked = at;
    for (const [index, option] of this.options.entries()) {
      option.toggleClass("is-selected", index === at);
      option.setAttr("aria-selected", String(index === at));
    }
    if (at !== null) this.options[at]?.scrollIntoView({ block: "nearest" });
    if (at === null) this.handlers.unmarked();
    else this.speak();
  }

  private take(at: number): void {
    const suggestion = this.completion?.suggestions[at];
    if (!suggestion || !this.completion) return;
    const { input } = this;
    const start = this.completion.from;
    const caret = start + suggestion.text.length;
    const after = input.value.slice(this.before.length);
    input.value = input.value.slice(0, start) + suggestion.text + suggestion.closing + after;
    input.focus();
    input.setSelectionRange(caret, caret);
    this.handlers.taken();
  }
}
