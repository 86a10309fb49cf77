/** The element of the row that creates a note. */
import { Platform, setIcon } from "obsidian";
import { type Row } from "../pane/rows";
import { combinationWords } from "../i18n/keys";
import { t } from "../i18n/translate";
import { initOption } from "./active-option";
import { setText } from "./passage-block";
import { type RowView } from "./row-view";

export class CreateView implements RowView {
  readonly el: HTMLElement;
  private readonly textEl: HTMLElement;

  constructor() {
    this.el = createDiv({ cls: "quarry-option quarry-create" });
    initOption(this.el);
    setIcon(this.el.createSpan({ cls: "quarry-create-icon" }), "plus");
    this.textEl = this.el.createSpan({ cls: "quarry-create-text", attr: { dir: "auto" } });
    this.el.createEl("kbd", { text: combinationWords("Shift+Enter", Platform.isMacOS), attr: { "aria-hidden": "true" } });
  }

  show(row: Row): void {
    if (row.kind !== "create") return;
    setText(this.textEl, t("write.create", { name: row.name }));
  }

  get options(): readonly HTMLElement[] {
    return [this.el];
  }
}
