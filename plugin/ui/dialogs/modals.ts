/** Small dialogs: a confirmation, the explanation of a hit, the list of keys. */
import { type App, Modal, Platform, Setting } from "obsidian";
import { type ExplainWords } from "../../i18n/answer";
import { keySheet } from "../../i18n/actions";
import { t } from "../../i18n/translate";

function dialog(app: App, title: string): Modal {
  const modal = new Modal(app);
  modal.setTitle(title);
  return modal;
}

export function confirmDialog(app: App, words: { readonly title: string; readonly detail?: string; readonly confirm: string }, confirmed: () => void): Modal {
  const modal = dialog(app, words.title);
  if (words.detail !== undefined) modal.contentEl.createEl("p", { text: words.detail });
  new Setting(modal.contentEl)
    .addButton((button) => button.setButtonText(t("write.cancel")).onClick(() => { modal.close(); }))
    .addButton((button) => {
      button.setButtonText(words.confirm).setCta().onClick(() => {
        modal.close();
        confirmed();
      });
      modal.onOpen = () => { button.buttonEl.focus(); };
    });
  return modal;
}

export function explainDialog(app: App, note: string, { message, signals, facts }: ExplainWords): Modal {
  const modal = dialog(app, note);
  modal.contentEl.addClass("quarry-explain");
  modal.contentEl.createEl("p", { text: message });
  if (signals.length + facts.length === 0) return modal;
  const list = modal.contentEl.createEl("dl");
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
  return modal;
}

export function keyDialog(app: App, isMac = Platform.isMacOS): Modal {
  const modal = dialog(app, t("key.title"));
  modal.contentEl.addClass("quarry-keys");
  for (const [heading, rows] of keySheet(isMac)) {
    modal.contentEl.createEl("h3", { text: heading });
    const list = modal.contentEl.createEl("dl");
    for (const { label, combinations } of rows) {
      const keys = list.createEl("dt");
      for (const combination of combinations) keys.createEl("kbd", { text: combination });
      list.createEl("dd", { text: label });
    }
  }
  modal.contentEl.createEl("p", { cls: "quarry-keys-more", text: t("key.more") });
  return modal;
}
