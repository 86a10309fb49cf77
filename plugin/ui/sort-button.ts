/** The button that says in which order the hits stand, with a menu of the others. */
import { Menu, setIcon, setTooltip } from "obsidian";
import { type SortOrder } from "../protocol/messages";
import { t } from "../i18n/translate";

export const SORT_ORDERS: readonly SortOrder[] = ["relevance", "modified", "created", "name"];

export class SortButton {
  private readonly el: HTMLElement;
  private readonly labelEl: HTMLElement;
  private chosen: SortOrder = "relevance";

  constructor(parent: HTMLElement, choose: (order: SortOrder) => void) {
    this.el = parent.createEl("button", { cls: "quarry-sort", attr: { "aria-haspopup": "menu" } });
    this.labelEl = this.el.createSpan();
    setIcon(this.el.createSpan({ cls: "quarry-sort-icon" }), "chevron-down");
    this.el.addEventListener("click", () => {
      const menu = new Menu();
      for (const order of SORT_ORDERS) {
        menu.addItem((item) => item.setTitle(t(`sort.${order}`)).setChecked(order === this.chosen).onClick(() => { choose(order); }));
      }
      const { left, bottom } = this.el.getBoundingClientRect();
      menu.showAtPosition({ x: left, y: bottom }, this.el.doc);
    });
  }

  /** `actual`: the order of the hits, which is by relevance whatever was chosen where no note is worth sorting. */
  show(chosen: SortOrder, actual: SortOrder): void {
    this.chosen = chosen;
    this.labelEl.setText(t(`sort.${actual}`));
    setTooltip(this.el, t("sort.tip", { order: t(`sort.${actual}`) }));
  }
}
