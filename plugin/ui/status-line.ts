/** The line above the rows: of fixed height, so that rows stay where they are; it unfolds over them under the pointer. */
import { type PaneModel } from "../pane/model";
import { type ActionId } from "../pane/commands";
import { type StatusWords, statusWords } from "../i18n/status";

export class StatusLine {
  private shown = "";

  constructor(
    private readonly el: HTMLElement,
    private readonly act: (action: ActionId) => void,
  ) {}

  show(model: PaneModel): void {
    const words = statusWords(model);
    // Unchanged words are not drawn again, so that a button keeps the focus.
    const wanted = JSON.stringify(words);
    if (wanted === this.shown) return;
    this.shown = wanted;
    this.draw(words);
  }

  private draw({ tone, text, tip, action }: StatusWords): void {
    this.el.empty();
    this.el.dataset["tone"] = tone;
    const line = this.el.createDiv({ cls: "quarry-remark-box" }).createDiv({ cls: "quarry-remark" });
    line.createSpan({ cls: tone === "count" ? "quarry-count" : "quarry-remark-text", text, attr: { dir: "auto" } });
    line.title = tone === "count" ? tip : [text, tip].join("\n");
    line.setAttr("aria-description", tip === "" ? null : tip);
    if (!action) return;
    const button = this.el.createEl("button", { cls: "quarry-link", text: action.label, attr: { "data-action": action.id } });
    button.addEventListener("click", () => { this.act(action.id); });
  }
}
