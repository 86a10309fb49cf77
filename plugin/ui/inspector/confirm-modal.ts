/** Asks before something that takes long. */
import { type App, Modal } from "obsidian";
import { t } from "../../wording/translate";

export class ConfirmModal extends Modal {
  constructor(
    app: App,
    private readonly words: { readonly title: string; readonly text: string },
    private readonly run: () => void,
  ) {
    super(app);
  }

  override onOpen(): void {
    this.setTitle(this.words.title);
    this.contentEl.createEl("p", { text: this.words.text });
    const bar = this.contentEl.createDiv({ cls: "modal-button-container" });
    const confirm = bar.createEl("button", { cls: "mod-cta", text: this.words.title });
    confirm.addEventListener("click", () => {
      this.close();
      this.run();
    });
    bar.createEl("button", { text: t("inspect.cancel") }).addEventListener("click", () => { this.close(); });
    confirm.focus();
  }
}
