/** Small dialogs: a confirmation, the explanation of a hit, the list of keys. */
import { type App, Modal, Platform, Setting } from "obsidian";
import { type ExplainWords } from "../../i18n/answer";
import { keySheet } from "../../i18n/actions";
import { t } from "../../i18n/translate";

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
