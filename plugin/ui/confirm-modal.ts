/** A dialog that asks before something is done. */
import { type App, Modal, Setting } from "obsidian";
import { t } from "../i18n/translate";

export class ConfirmModal extends Modal {
  constructor(
    app: App,
    private readonly words: { readonly title: string; readonly detail?: string; readonly confirm: string },
    private readonly confirmed: () => void,
  ) {
    super(app);
  }

  override onOpen(): void {
    const { title, detail, confirm } = this.words;
    this.setTitle(title);
    if (detail !== undefined) this.contentEl.createEl("p", { text: detail });
    new Setting(this.contentEl)
      .addButton((button) => button.setButtonText(t("write.cancel")).onClick(() => { this.close(); }))
      .addButton((button) => {
        button.setButtonText(confirm).setCta().onClick(() => {
          this.close();
          this.confirmed();
        });
        button.buttonEl.focus();
      });
  }
}
