/** The inspector's dialogs: choosing a file, and why a note is found or not. Note text is inserted as text nodes only. */
import { AbstractInputSuggest, type App, FuzzySuggestModal, Modal, type TFile, type TFolder } from "obsidian";
import { type Fact, reportWords, wayOutWords } from "../../i18n/inspection";
import { t } from "../../i18n/translate";
import { type WayOut, wayOut } from "../../inspector/ways-out";
import { type NoteReport } from "../../protocol/messages";
import { isToDraw } from "../list/elements";

export function reportDialog(app: App, report: NoteReport, take: (way: WayOut, path: string) => void): Modal {
  const { path, state, reasons } = report;
  const { sentences, facts } = reportWords(report);
  const modal = new Modal(app);
  const { contentEl } = modal;
  modal.setTitle(path);
  contentEl.addClass("quarry-inspect-report");
  for (const text of sentences) contentEl.createEl("p", { text, attr: { dir: "auto" } });
  drawFacts(contentEl.createEl("dl", { cls: "quarry-inspect-dl" }), facts);
  const bar = contentEl.createDiv({ cls: "modal-button-container" });
  const ways = new Map(reasons.flatMap((reason) => {
    const way = wayOut(path, state, reason);
    return way ? [[JSON.stringify(way), way] as const] : [];
  }));
  for (const way of ways.values()) {
    const button = bar.createEl("button", { text: wayOutWords(way), cls: bar.childElementCount === 0 ? "mod-cta" : "", attr: { "data-way": way.kind } });
    button.addEventListener("click", () => {
      modal.close();
      take(way, path);
    });
  }
  return modal;
}

export function drawFacts(el: HTMLElement, facts: readonly Fact[]): void {
  if (!isToDraw(el, facts)) return;
  el.empty();
  for (const [label, value] of facts) {
    const fact = el.createDiv();
    fact.createEl("dt", { text: label });
    fact.createEl("dd", { text: value, attr: { dir: "auto" } });
  }
}

export class FilePicker extends FuzzySuggestModal<TFile> {
  constructor(
    app: App,
    private readonly chosen: (file: TFile) => void,
  ) {
    super(app);
    this.setPlaceholder(t("inspect.pick"));
  }

  getItems(): TFile[] {
    return this.app.vault.getFiles();
  }

  getItemText(file: TFile): string {
    return file.path;
  }

  onChooseItem(file: TFile): void {
    this.chosen(file);
  }
}

export class FolderSuggest extends AbstractInputSuggest<TFolder> {
  constructor(
    app: App,
    private readonly field: HTMLInputElement,
    private readonly chosen: (folder: string) => void,
  ) {
    super(app, field);
  }

  protected override getSuggestions(query: string): TFolder[] {
    const wanted = query.trim().toLowerCase();
    return this.app.vault.getAllFolders().filter(({ path }) => path.toLowerCase().includes(wanted));
  }

  override renderSuggestion({ path }: TFolder, el: HTMLElement): void {
    el.setText(path);
  }

  override selectSuggestion({ path }: TFolder): void {
    this.field.value = "";
    this.close();
    this.chosen(path);
  }
}
