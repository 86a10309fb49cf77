/** The dialog that writes a new note. A text that was not captured is given back, so that closing the dialog loses nothing. */
import { type App, Modal, Notice, Setting } from "obsidian";
import { type CaptureResult } from "../../protocol/messages";
import { type Requester } from "../../sidecar/client";
import { failureWords } from "../../i18n/engine";
import { t } from "../../i18n/translate";

export class CaptureModal extends Modal {
  #text = "";
  #title = "";
  #tags = "";
  #isAtWork = false;
  #problemEl: HTMLElement | null = null;

  constructor(
    app: App,
    private readonly client: Requester,
    /** Called when the dialog closes with another text than it opened with; empty once the text is captured. */
    private readonly keepDraft: (text: string) => void,
    private readonly given: string,
  ) {
    super(app);
    this.#text = given;
  }

  override onOpen(): void {
    this.setTitle(t("command.capture"));
    this.contentEl.addClass("quarry-capture");
    this.#drawText();
    this.#drawField(t("capture.title"), t("capture.titleHelp"), (value) => { this.#title = value; });
    this.#drawField(t("capture.tags"), t("capture.tagsHelp"), (value) => { this.#tags = value; });
    this.contentEl.createEl("p", { cls: "setting-item-description", text: t("capture.where") });
    this.#problemEl = this.contentEl.createEl("p", { cls: "mod-warning", attr: { role: "alert" } });
    new Setting(this.contentEl).addButton((button) => {
      button.setButtonText(t("capture.submit")).setCta().onClick(() => void this.submit());
    });
    this.scope.register(["Mod"], "Enter", () => {
      void this.submit();
      return false;
    });
  }

  override onClose(): void {
    if (this.#text !== this.given) this.keepDraft(this.#text);
  }

  /** Captures what was typed; says on the dialog why it could not be. */
  async submit(): Promise<void> {
    if (this.#isAtWork || this.#text.trim() === "") return;
    this.#isAtWork = true;
    const text = this.#text;
    const title = this.#title;
    const tags = this.#tags.split(/[,，、]/).filter((tag) => tag.trim() !== "");
    const reply = await this.client.request("capture", { text, title: title.trim() === "" ? null : title, tags, source: "obsidian" }).reply;
    this.#isAtWork = false;
    if (!reply.ok) {
      this.#problemEl?.setText(failureWords(reply.failure));
      return;
    }
    this.#text = "";
    new Notice(capturedWords(reply.value));
    this.close();
  }

  #drawText(): void {
    const area = this.contentEl.createEl("textarea", { attr: { "aria-label": t("capture.text"), placeholder: t("capture.text"), rows: "8", dir: "auto" } });
    area.value = this.#text;
    area.addEventListener("input", () => { this.#text = area.value; });
    area.focus();
  }

  #drawField(name: string, help: string, change: (value: string) => void): void {
    new Setting(this.contentEl).setName(name).setDesc(help).addText((field) => {
      field.onChange(change).inputEl.setAttr("aria-label", name);
    });
  }
}

/** What is said of a note that was captured: its path, and what was left out of it. */
export function capturedWords({ path, redacted }: CaptureResult): string {
  return redacted === 0 ? t("capture.done", { path }) : t("capture.redacted", { path, count: redacted });
}
