/** Suggestions under a text field, while it has the focus. */
import type { App } from "./app";

export abstract class AbstractInputSuggest<T> {
  limit = 100;
  private readonly listEl = createDiv({ cls: "suggestion-container" });

  constructor(
    readonly app: App,
    private readonly hostInputEl: HTMLInputElement,
  ) {
    hostInputEl.addEventListener("input", () => void this.hostNarrow());
    hostInputEl.addEventListener("focus", () => void this.hostNarrow());
    hostInputEl.addEventListener("blur", () => setTimeout(() => this.close(), 200));
  }

  protected abstract getSuggestions(query: string): T[] | Promise<T[]>;
  abstract renderSuggestion(value: T, el: HTMLElement): void;
  abstract selectSuggestion(value: T, event: MouseEvent | KeyboardEvent): void;

  getValue(): string {
    return this.hostInputEl.value;
  }

  setValue(value: string): void {
    this.hostInputEl.value = value;
  }

  close(): void {
    this.listEl.remove();
  }

  private async hostNarrow(): Promise<void> {
    const items = await this.getSuggestions(this.hostInputEl.value);
    this.listEl.empty();
    for (const item of items.slice(0, this.limit)) {
      const rowEl = this.listEl.createDiv({ cls: "suggestion-item" });
      this.renderSuggestion(item, rowEl);
      rowEl.addEventListener("mousedown", (event) => event.preventDefault());
      rowEl.addEventListener("click", (event) => this.selectSuggestion(item, event));
    }
    const { left, bottom } = this.hostInputEl.getBoundingClientRect();
    this.listEl.setCssStyles({ position: "fixed", left: `${left}px`, top: `${bottom}px` });
    document.body.append(this.listEl);
  }
}
