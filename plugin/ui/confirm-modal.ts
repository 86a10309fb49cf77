/** A dialog that asks before something is done. */
import { type App, Modal, Setting } from "obsidian";
import { t } from "../wording/translate";

export class ConfirmModal extends Modal {
  constructor(
    app: App,
    private readonly words: { readonly title: string; readonly confirm: string },
    private readonly confirmed: () => void,
  ) {
    super(app);
  }

  override onOpen(): void {
    this.setTitle(this.words.title);
    new Setting(this.contentEl)
      .addButton((button) => button.setButtonText(t("write.cancel")).onClick(() => { this.close(); }))
      .addButton((button) => {
        button.setButtonText(this.words.confirm).setCta().onClick(() => {
          this.close();
          this.confirmed();
        });
        button.buttonEl.focus();
      });
  }
}
