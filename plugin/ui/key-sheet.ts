/** The dialog that lists all keys, from the table that gives them their meaning. */
import { type App, Modal, Platform } from "obsidian";
import { keySheet } from "../i18n/keys";
import { t } from "../i18n/translate";

export class KeySheet extends Modal {
  constructor(
    app: App,
    private readonly isMac: boolean = Platform.isMacOS,
  ) {
    super(app);
  }

  override onOpen(): void {
    this.setTitle(t("key.title"));
    this.contentEl.addClass("quarry-keys");
    for (const [heading, rows] of keySheet(this.isMac)) {
      this.contentEl.createEl("h3", { text: heading });
      const list = this.contentEl.createEl("dl");
      for (const { label, combinations } of rows) {
        const keys = list.createEl("dt");
        for (const combination of combinations) keys.createEl("kbd", { text: combination });
        list.createEl("dd", { text: label });
      }
    }
  }
}
