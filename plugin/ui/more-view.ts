/** The element of the row that leads to further rows. */
import { type Row } from "../pane/rows";
import { moreWords } from "../i18n/rows";
import { initOption } from "./active-option";
import { setText } from "./passage-block";
import { type RowView } from "./row-view";

export class MoreView implements RowView {
  readonly el: HTMLElement;

  constructor() {
    this.el = createDiv({ cls: "quarry-option quarry-show-more" });
    initOption(this.el);
  }

  show(row: Row): void {
    if (row.kind === "more") setText(this.el, moreWords(row));
  }

  get options(): readonly HTMLElement[] {
    return [this.el];
  }
}
