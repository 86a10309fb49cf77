/** The element of a divider: a heading of the rows below it, with the action that concerns them. */
import { type ActionId } from "../pane/commands";
import { type Row } from "../pane/rows";
import { actionOf } from "../i18n/actions";
import { sectionWords } from "../i18n/rows";
import { setText } from "./passage-block";
import { type RowView } from "./row-view";

export class DividerView implements RowView {
  readonly el: HTMLElement;
  readonly options: readonly HTMLElement[] = [];
  private readonly textEl: HTMLElement;
  private readonly actionEl: HTMLElement;

  constructor(act: (action: ActionId) => void) {
    this.el = createDiv({ cls: "quarry-divider", attr: { role: "presentation" } });
    this.textEl = this.el.createSpan({ cls: "quarry-divider-text" });
    const { id, label } = actionOf("clear-history");
    this.actionEl = this.el.createSpan({ cls: "quarry-divider-action is-hidden", text: label, attr: { "data-action": id, "aria-hidden": "true" } });
    this.actionEl.addEventListener("click", () => { act(id); });
  }

  show(row: Row): void {
    if (row.kind !== "divider") return;
    setText(this.textEl, sectionWords(row));
    this.el.dataset["section"] = row.section;
    this.actionEl.toggleClass("is-hidden", row.section !== "recent");
  }
}
