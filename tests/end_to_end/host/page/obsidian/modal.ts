/** Dialogs and pickers, which open over the app and take the keys. */
import type { App } from "./app";
import { Scope } from "./scope";

export class Modal {
  readonly scope: Scope;
  readonly containerEl: HTMLElement;
  readonly modalEl: HTMLElement;
  readonly titleEl: HTMLElement;
  readonly contentEl: HTMLElement;
  shouldRestoreSelection = true;
  private closed: (() => unknown) | undefined;
  private focusBefore: Element | null = null;

  constructor(readonly app: App) {
    this.scope = new Scope(app.scope);
    this.containerEl = createDiv({ cls: "modal-container mod-dim" });
    this.containerEl.createDiv({ cls: "modal-bg" }).addEventListener("click", () => this.close());
    this.modalEl = this.containerEl.createDiv({ cls: "modal", attr: { role: "dialog", "aria-modal": true } });
    this.modalEl.createDiv({ cls: "modal-close-button", attr: { "aria-label": "Close" } }).addEventListener("click", () => this.close());
    this.titleEl = this.modalEl.createDiv({ cls: "modal-header" }).createDiv({ cls: "modal-title" });
    this.contentEl = this.modalEl.createDiv({ cls: "modal-content" });
    this.scope.register([], "Escape", () => {
      this.close();
      return false;
    });
  }

  open(): void {
    this.focusBefore = activeDocument.activeElement;
    activeDocument.body.append(this.containerEl);
    this.app.keymap.pushScope(this.scope);
    void this.onOpen();
  }

  close(): void {
    if (!this.containerEl.isConnected) return;
    this.app.keymap.popScope(this.scope);
    this.containerEl.remove();
    if (this.shouldRestoreSelection && this.focusBefore?.instanceOf(HTMLElement)) this.focusBefore.focus();
    this.onClose();
    this.closed?.();
  }

  onOpen(): void | Promise<void> {}

  onClose(): void {}

  setTitle(title: string): this {
    this.titleEl.setText(title);
    return this;
  }

  setCloseCallback(callback: () => unknown): this {
    this.closed = callback;
    return this;
  }
}

/** A dialog that narrows a list while the user types. */
export abstract class SuggestModal<T> extends Modal {
  limit = 100;
  emptyStateText = "No results found.";
  readonly inputEl: HTMLInputElement;
  readonly resultContainerEl: HTMLElement;
  private items: T[] = [];
  private selected = 0;

  constructor(app: App) {
    super(app);
    this.modalEl.empty();
    this.modalEl.className = "prompt";
    this.inputEl = this.modalEl.createDiv({ cls: "prompt-input-container" }).createEl("input", { cls: "prompt-input", type: "text" });
    this.resultContainerEl = this.modalEl.createDiv({ cls: "prompt-results" });
    this.inputEl.addEventListener("input", () => void this.narrow());
    this.scope.register([], "ArrowDown", () => this.move(1));
    this.scope.register([], "ArrowUp", () => this.move(-1));
    this.scope.register([], "Enter", (event) => this.choose(this.selected, event));
  }

  abstract getSuggestions(query: string): T[] | Promise<T[]>;
  abstract renderSuggestion(value: T, el: HTMLElement): void;
  abstract onChooseSuggestion(item: T, event: MouseEvent | KeyboardEvent): void;

  override open(): void {
    super.open();
    this.inputEl.focus();
    void this.narrow();
  }

  selectSuggestion(value: T, event: MouseEvent | KeyboardEvent): void {
    this.close();
    this.onChooseSuggestion(value, event);
  }

  setPlaceholder(placeholder: string): void {
    this.inputEl.placeholder = placeholder;
  }

  onNoSuggestion(): void {
    this.resultContainerEl.createDiv({ cls: "suggestion-empty", text: this.emptyStateText });
  }

  private async narrow(): Promise<void> {
    const query = this.inputEl.value;
    const items = await this.getSuggestions(query);
    if (query !== this.inputEl.value) return; // an older answer that came late
    this.items = items.slice(0, this.limit);
    this.resultContainerEl.empty();
    this.items.forEach((item, index) => {
      const rowEl = this.resultContainerEl.createDiv({ cls: "suggestion-item" });
      this.renderSuggestion(item, rowEl);
      rowEl.addEventListener("click", (event) => this.choose(index, event));
    });
    if (this.items.length === 0) this.onNoSuggestion();
    this.select(0);
  }

  private move(step: number): false {
    if (this.items.length > 0) this.select((this.selected + step + this.items.length) % this.items.length);
    return false;
  }

  private select(index: number): void {
    this.selected = index;
    this.resultContainerEl.findAll(".suggestion-item").forEach((el, at) => el.toggleClass("is-selected", at === index));
  }

  private choose(index: number, event: MouseEvent | KeyboardEvent): false {
    const item = this.items[index];
    if (item !== undefined) this.selectSuggestion(item, event);
    return false;
  }
}

export interface FuzzyMatch<T> {
  item: T;
  match: { score: number; matches: [number, number][] };
}

/** A picker from a fixed list; what was typed may stand anywhere in an item, letter by letter in order. */
export abstract class FuzzySuggestModal<T> extends SuggestModal<FuzzyMatch<T>> {
  abstract getItems(): T[];
  abstract getItemText(item: T): string;
  abstract onChooseItem(item: T, event: MouseEvent | KeyboardEvent): void;

  getSuggestions(query: string): FuzzyMatch<T>[] {
    const letters = [...query.toLowerCase().replace(/\s/g, "")].map((letter) => letter.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
    const wanted = new RegExp(letters.join(".*?"), "su");
    const found = this.getItems().flatMap((item) => {
      const hit = wanted.exec(this.getItemText(item).toLowerCase());
      return hit ? [{ item, match: { score: -hit[0].length, matches: [] } }] : [];
    });
    return found.sort((a, b) => b.match.score - a.match.score);
  }

  renderSuggestion({ item }: FuzzyMatch<T>, el: HTMLElement): void {
    el.setText(this.getItemText(item));
  }

  onChooseSuggestion({ item }: FuzzyMatch<T>, event: MouseEvent | KeyboardEvent): void {
    this.onChooseItem(item, event);
  }
}
