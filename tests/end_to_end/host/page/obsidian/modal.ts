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
  private rangeBefore: Range | null = null;

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
    const selection = activeDocument.getSelection();
    this.rangeBefore = selection && selection.rangeCount > 0 ? selection.getRangeAt(0) : null;
    activeDocument.body.append(this.containerEl);
    this.app.keymap.pushScope(this.scope);
    void this.onOpen();
  }

  close(): void {
    if (!this.containerEl.isConnected) return;
    this.app.keymap.popScope(this.scope);
    this.containerEl.remove();
    if (this.shouldRestoreSelection && this.focusBefore?.instanceOf(HTMLElement)) {
      this.focusBefore.focus();
      if (this.rangeBefore && this.focusBefore.contains(this.rangeBefore.startContainer)) activeDocument.getSelection()?.setBaseAndExtent(this.rangeBefore.startContainer, this.rangeBefore.startOffset, this.rangeBefore.endContainer, this.rangeBefore.endOffset);
    }
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

interface FuzzyMatch<T> {
  item: T;
  match: { score: number; matches: [number, number][] };
}

/** A picker from a fixed list, by Enter; what was typed may occur anywhere in an item, letter by letter in order. */
export abstract class FuzzySuggestModal<T> extends Modal {
  readonly inputEl: HTMLInputElement;
  readonly resultContainerEl: HTMLElement;

  constructor(app: App) {
    super(app);
    this.modalEl.empty();
    this.modalEl.className = "prompt";
    this.inputEl = this.modalEl.createDiv({ cls: "prompt-input-container" }).createEl("input", { cls: "prompt-input", type: "text" });
    this.resultContainerEl = this.modalEl.createDiv({ cls: "prompt-results" });
    this.inputEl.addEventListener("input", () => this.narrow());
    this.scope.register([], "Enter", (event) => {
      const [best] = this.getSuggestions(this.inputEl.value);
      this.close();
      if (best) this.onChooseItem(best.item, event);
      return false;
    });
  }

  abstract getItems(): T[];
  abstract getItemText(item: T): string;
  abstract onChooseItem(item: T, event: MouseEvent | KeyboardEvent): void;

  override open(): void {
    super.open();
    this.inputEl.focus();
    this.narrow();
  }

  setPlaceholder(placeholder: string): void {
    this.inputEl.placeholder = placeholder;
  }

  getSuggestions(query: string): FuzzyMatch<T>[] {
    const letters = [...query.toLowerCase().replace(/\s/g, "")].map((letter) => letter.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
    const wanted = new RegExp(letters.join(".*?"), "su");
    const found = this.getItems().flatMap((item) => {
      const hit = wanted.exec(this.getItemText(item).toLowerCase());
      return hit ? [{ item, match: { score: -hit[0].length, matches: [] } }] : [];
    });
    return found.sort((a, b) => b.match.score - a.match.score);
  }

  private narrow(): void {
    const items = this.getSuggestions(this.inputEl.value);
    this.resultContainerEl.replaceChildren(...items.map(({ item }) => createDiv({ cls: "suggestion-item", text: this.getItemText(item) })));
  }
}
