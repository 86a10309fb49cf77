/** The dialog that says why a note is found or not, with the ways out. Note text enters as text nodes only. */
import { type App, Modal } from "obsidian";
import { type WayOut, wayOut } from "../../inspector/ways-out";
import { type NoteReport } from "../../protocol/messages";
import { reportWords, wayOutWords } from "../../i18n/inspection";
import { drawFacts } from "./facts";

export class ReportModal extends Modal {
  constructor(
    app: App,
    private readonly report: NoteReport,
    private readonly take: (way: WayOut, path: string) => void,
  ) {
    super(app);
  }

  override onOpen(): void {
    const { path, state, reasons } = this.report;
    const { sentences, facts } = reportWords(this.report);
    this.setTitle(path);
    this.contentEl.addClass("quarry-inspect-report");
    for (const text of sentences) this.contentEl.createEl("p", { text, attr: { dir: "auto" } });
    drawFacts(this.contentEl.createEl("dl", { cls: "quarry-inspect-dl" }), facts);
    const ways = new Map(reasons.flatMap((reason) => {
      const way = wayOut(path, state, reason);
      return way ? [[JSON.stringify(way), way] as const] : [];
    }));
    const bar = this.contentEl.createDiv({ cls: "modal-button-container" });
    let isFirst = true;
    for (const way of ways.values()) {
      const button = bar.createEl("button", { text: wayOutWords(way), cls: isFirst ? "mod-cta" : "", attr: { "data-way": way.kind } });
      button.addEventListener("click", () => {
        this.close();
        this.take(way, path);
      });
      isFirst = false;
    }
  }
}
