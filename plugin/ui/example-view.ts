/** The element of a query to try. */
import { setIcon } from "obsidian";
import { type Row } from "../pane/rows";
import { initOption } from "./active-option";
import { setText } from "./passage-block";
import { type RowView } from "./row-view";

export class ExampleView implements RowView {
  readonly el: HTMLElement;
  private readonly textEl: HTMLElement;

  constructor() {
    this.el = createDiv({ cls: "tree-item-self is-clickable quarry-option quarry-recent quarry-example" });
    initOption(this.el);
    setIcon(this.el.createSpan({ cls: "quarry-create-icon" }), "message-circle-question-mark");
    this.textEl = this.el.createSpan({ cls: "quarry-recent-text", attr: { dir: "auto" } });
  }

  show(row: Row): void {
    if (row.kind !== "example") return;
    setText(this.textEl, row.query);
    this.el.setAttr("aria-label", row.query);
  }

  get options(): readonly HTMLElement[] {
    return [this.el];
  }
}
