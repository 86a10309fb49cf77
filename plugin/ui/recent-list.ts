/** Recent queries as options of the list, shown while the box is empty. */
import { type Option, initOption } from "./option-list";

export interface RecentOption extends Option {
  readonly query: string;
}

export class RecentList {
  options: readonly RecentOption[] = [];

  constructor(private readonly el: HTMLElement) {}

  show(queries: readonly string[]): void {
    if (queries.length === this.options.length && queries.every((query, index) => this.options[index]?.query === query)) return;
    this.el.empty();
    this.options = queries.map((query) => {
      const el = this.el.createDiv({ cls: "tree-item-self is-clickable quarry-option quarry-recent", text: query });
      initOption(el);
      return { key: `recent ${query}`, el, query };
    });
  }

  optionAt(target: EventTarget | null): RecentOption | null {
    return this.options.find(({ el }) => el === target) ?? null;
  }
}
