/** The element of a query of the history. */
import { type Row } from "../pane/rows";
import { initOption } from "./active-option";
import { type RowView } from "./row-view";
import { setText } from "./passage-block";

export class RecentView implements RowView {
  readonly el: HTMLElement;

  constructor() {
    this.el = createDiv({ cls: "tree-item-self is-clickable quarry-option quarry-recent" });
    initOption(this.el);
  }

  show(row: Row): void {
    if (row.kind === "recent") setText(this.el, row.query);
  }

  get options(): readonly HTMLElement[] {
    return [this.el];
  }
}
