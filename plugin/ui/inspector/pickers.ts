/** Chooses a file of the vault in a dialog, or a folder beside a text field. */
import { AbstractInputSuggest, type App, FuzzySuggestModal, type TFile, type TFolder } from "obsidian";
import { t } from "../../i18n/translate";

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
