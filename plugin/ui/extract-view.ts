/** The element of the sentence that answers: a quote, with the note that it is taken from. Note text enters as text nodes only. */
import { type ExtractRow, type Row } from "../pane/rows";
import { plainText } from "../snippet/plain";
import { extractLabel, extractSource } from "../i18n/rows";
import { initOption } from "./active-option";
import { setText } from "./passage-block";
import { type RowView } from "./row-view";

export class ExtractView implements RowView {
  readonly el: HTMLElement;
  private readonly textEl: HTMLElement;
  private readonly sourceEl: HTMLElement;

  constructor() {
    this.el = createDiv({ cls: "quarry-option quarry-extract", attr: { draggable: "true" } });
    initOption(this.el);
    this.textEl = this.el.createDiv({ cls: "quarry-extract-text", attr: { dir: "auto" } });
    this.sourceEl = this.el.createDiv({ cls: "quarry-extract-source", attr: { dir: "auto" } });
  }

  show(row: Row): void {
    if (row.kind === "extract") this.showSentence(row);
  }

  get options(): readonly HTMLElement[] {
    return [this.el];
  }

  private showSentence(row: ExtractRow): void {
    const { text } = plainText(row.passage.snippet, []);
    setText(this.textEl, text);
    setText(this.sourceEl, extractSource(row));
    this.el.setAttr("aria-label", extractLabel(row, text));
  }
}
