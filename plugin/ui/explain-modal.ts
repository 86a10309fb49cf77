/** The dialog that explains why a note is or is not in the results. Note text enters as text nodes only. */
import { type App, Modal } from "obsidian";
import { type ExplainWords } from "../i18n/explanation";

export class ExplainModal extends Modal {
  constructor(
    app: App,
    private readonly note: string,
    private readonly words: ExplainWords,
  ) {
    super(app);
  }

  override onOpen(): void {
    const { message, signals, facts } = this.words;
    this.setTitle(this.note);
    this.contentEl.addClass("quarry-explain");
    this.contentEl.createEl("p", { text: message });
    if (signals.length + facts.length === 0) return;
    const list = this.contentEl.createEl("dl");
    for (const [name, share, percent] of signals) {
      list.createEl("dt", { text: name });
      const value = list.createEl("dd", { cls: "quarry-share" });
      value.createEl("progress", { cls: "quarry-progress-bar", attr: { max: "1", value: String(share), "aria-hidden": "true" } });
      value.createSpan({ text: percent });
    }
    for (const [label, value] of facts) {
      list.createEl("dt", { text: label });
      list.createEl("dd", { text: value, attr: { dir: "auto" } });
    }
  }
}
