/**
 * The settings tab. Settings are stored in three places: those of the pane in data.json, the engine's program on this
 * device only, and those of the vault in `.quarry.toml`, which the sidecar reads and writes.
 *
 * Rows are described once. Obsidian 1.13 takes them as definitions, which its settings search can find; older versions
 * have them drawn as a page.
 */
import { type App, type BaseComponent, type DropdownComponent, Notice, type Plugin, PluginSettingTab, Setting, type SettingDefinitionItem, type SliderComponent, type TextComponent } from "obsidian";
import { type Fusion, FUSIONS, type ModelsListParams, type ModelsListResult, type ModelsUseParams, type Settings as VaultSettings, type SettingsWriteParams, type Stemming } from "../../protocol/messages";
import { LIMIT_RANGE, type Preferences } from "../../settings";
import { type Naming, NAMINGS } from "../../pane/note-name";
import { DENSITIES, type Density } from "../../snippet/excerpt";
import { type Reply } from "../../sidecar/failure";
import { confirmDialog } from "../dialogs/modals";
import { FolderSuggest } from "../inspector/report-modal";
import { balanceOf, foldersOf, isFullPath, statusesOf, weightsOf } from "./settings-values";
import { freshness, type ObservableEngine } from "../../pane/state";
import { type CommandMap, type EngineActionId } from "../../pane/commands";
import { failureWords } from "../../i18n/engine";
import { backfillWords, freshnessWords, messageWords, modelWords, problemWords, statusSummary } from "../../i18n/inspection";
import { joinSentences, percent } from "../../i18n/formatting";
import { number, say, t } from "../../i18n/translate";

const PROBLEMS_SHOWN = 20;
const STEMMINGS: readonly Stemming[] = ["by-language", "none"];

export interface SettingsParts {
  readonly settings: () => Preferences;
  readonly save: (settings: Preferences) => void;
  readonly engine: ObservableEngine;
  /** The chosen program; null to search the usual places. */
  readonly enginePath: () => string | null;
  readonly saveEnginePath: (path: string | null) => void;
  readonly readVault: () => Promise<Reply<VaultSettings>>;
  readonly listModels: (which: ModelsListParams) => Promise<Reply<ModelsListResult>>;
  readonly useModel: (choice: ModelsUseParams) => Promise<Reply<VaultSettings>>;
  readonly writeVault: (change: SettingsWriteParams) => Promise<Reply<VaultSettings>>;
  /** Adds a folder to those that are excluded, and says so. */
  readonly excludeFolder: (folder: string) => Promise<void>;
  readonly rebuild: () => void;
  readonly commands: CommandMap<EngineActionId>;
}

interface Row {
  readonly name: string;
  readonly help: string;
  readonly build: (setting: Setting) => unknown;
}

interface Group {
  readonly heading: string;
  readonly rows: readonly Row[];
}

/** Fills a control with one of the vault's settings, which are null while they cannot be read. */
type Filler = (settings: VaultSettings | null, isReset: boolean) => void;

export class QuarrySettingTab extends PluginSettingTab {
  #fillers: Filler[] = [];
  #stopListening: (() => void)[] = [];

  constructor(
    app: App,
    plugin: Plugin,
    private readonly parts: SettingsParts,
  ) {
    super(app, plugin);
  }

  override getSettingDefinitions(): SettingDefinitionItem[] {
    this.#begin();
    return this.#groups().map(({ heading, rows }) => ({
      type: "group" as const,
      heading,
      items: rows.map((row) => ({
        name: row.name,
        desc: row.help,
        render: (setting: Setting) => { drawRow(setting, row); },
      })),
    }));
  }

  override display(): void {
    this.#begin();
    this.containerEl.empty();
    for (const { heading, rows } of this.#groups()) {
      new Setting(this.containerEl).setName(heading).setHeading();
      for (const row of rows) drawRow(new Setting(this.containerEl), row);
    }
  }

  override hide(): void {
    this.#end();
    super.hide();
  }

  #begin(): void {
    this.#end();
    this.#stopListening.push(this.parts.engine.changed.listen(() => void this.#fill()));
    // Deferred: Obsidian creates the rows, and with them the fillers, after it has read the definitions.
    window.setTimeout(() => void this.#fill(), 0);
  }

  #end(): void {
    for (const stop of this.#stopListening) stop();
    this.#stopListening = [];
    this.#fillers = [];
  }

  /** Shows the vault's settings as they are now; a field that is being edited keeps its text, unless `isReset`. */
  async #fill(isReset = false): Promise<void> {
    if (this.#fillers.length === 0) return;
    const reply = await this.parts.readVault();
    for (const filler of this.#fillers) filler(reply.ok ? reply.value : null, isReset);
  }

  /**
   * Has `show` called with the vault's settings, null where they cannot be read. Nothing can be typed before they are there; a
   * text that is being typed stays, also when the engine goes meanwhile.
   */
  #fillField(field: BaseComponent, el: HTMLElement, show: (settings: VaultSettings | null) => void): void {
    const isText = el.instanceOf(HTMLTextAreaElement) || (el.instanceOf(HTMLInputElement) && el.type === "text");
    field.setDisabled(true);
    this.#fillers.push((settings, isReset) => {
      if (isText && (isReset || el === el.doc.activeElement)) return;
      field.setDisabled(settings === null);
      if (isReset || el !== el.doc.activeElement) show(settings);
    });
  }

  async #write(change: SettingsWriteParams): Promise<void> {
    const reply = await this.parts.writeVault(change);
    if (!reply.ok) new Notice(failureWords(reply.failure));
    else if (change.stemming !== undefined) new Notice(t("settings.stemmingChanged"));
    await this.#fill(!reply.ok);
  }

  // --- rows ---------------------------------------------------------------------------------------

  #groups(): readonly Group[] {
    const { commands, rebuild } = this.parts;
    return [
      {
        heading: t("settings.paneGroup"),
        rows: [
          this.#preferenceRow("naming", NAMINGS),
          this.#preferenceRow("density", DENSITIES),
          row("limit", (setting) => {
            setting.addSlider((slider) => {
              const show = valueBeside(setting, slider, number);
              slider.setLimits(LIMIT_RANGE.least, LIMIT_RANGE.most, LIMIT_RANGE.step).setValue(this.parts.settings().limit).onChange((limit) => { this.#save({ limit }); });
              show();
            });
          }),
          row("statusBar", (setting) => setting.addToggle((toggle) => toggle.setValue(this.parts.settings().showsStatusBar).onChange((showsStatusBar) => { this.#save({ showsStatusBar }); }))),
        ],
      },
      {
        heading: t("settings.vaultGroup"),
        rows: [
          this.#foldersRow("include", "includeFolders"),
          this.#foldersRow("exclude", "excludeFolders", true),
          this.#flagRow("templates", "indexTemplates"),
          this.#flagRow("canvases", "indexCanvases"),
          this.#flagRow("pdfs", "indexPdfs"),
          this.#textRow("excludeStatus", ({ excludeStatus }) => excludeStatus.join(", "), (text) => ({ excludeStatus: statusesOf(text) }), t("settings.excludeStatusExample")),
          this.#balanceRow(),
        ],
      },
      {
        heading: t("settings.engineGroup"),
        rows: [
          { name: t("settings.status"), help: "", build: (setting) => { this.#buildStatus(setting); } },
          buttonRow("inspect", t("action.open-inspector"), commands["open-inspector"]),
          this.#pathRow(),
          buttonRow("restart", t("settings.restartButton"), commands.restart),
          buttonRow("report", t("settings.reportButton"), commands["copy-report"]),
        ],
      },
      {
        heading: t("settings.advancedGroup"),
        rows: [
          this.#modelRow(),
          this.#choiceRow("fusion", FUSIONS.filter((fusion) => fusion !== "six-signals")), // whose signals need a page of their own: GUIDE.md
          this.#choiceRow("stemming", STEMMINGS),
          buttonRow("rebuild", t("settings.rebuildButton"), rebuild),
        ],
      },
    ];
  }

  #save(change: Partial<Preferences>): void {
    this.parts.save({ ...this.parts.settings(), ...change });
  }

  #buildStatus(setting: Setting): void {
    const show = (): void => { setting.setDesc(this.#statusText()); };
    show();
    this.#stopListening.push(this.parts.engine.changed.listen(show), this.parts.engine.statusChanged.listen(show));
  }

  #statusText(): DocumentFragment {
    const { state, status } = this.parts.engine;
    return createFragment((fragment) => {
      fragment.createDiv({ text: freshnessWords(freshness(state, status)).text });
      if (!status) return;
      fragment.createDiv({ text: statusSummary(status.chunks, status.excluded, status.sizeBytes) });
      for (const message of [messageWords(status), status.backfill && backfillWords(status.backfill)]) {
        if (message !== null) fragment.createDiv({ text: message });
      }
      if (status.problems.length === 0) return;
      fragment.createDiv({ text: t("settings.problems") });
      const list = fragment.createEl("ul");
      for (const problem of status.problems.slice(0, PROBLEMS_SHOWN)) list.createEl("li", { text: problemWords(problem) });
    });
  }

  #pathRow(): Row {
    return row("enginePath", (setting) => setting.addText((text) => {
      text.setPlaceholder(t("settings.enginePathExample")).setValue(this.parts.enginePath() ?? "");
      text.inputEl.addEventListener("change", () => {
        const path = text.inputEl.value.trim();
        if (path !== "" && !isFullPath(path)) new Notice(t("settings.enginePathNotAbsolute"));
        else this.parts.saveEnginePath(path === "" ? null : path);
      });
    }));
  }

  #foldersRow(id: "include" | "exclude", key: "includeFolders" | "excludeFolders", withPicker = false): Row {
    return row(id, (setting) => {
      if (withPicker) setting.addText((text) => { this.#addFolderPicker(text); });
      setting.addTextArea((area) => {
        area.inputEl.addEventListener("change", () => void this.#write({ [key]: foldersOf(area.inputEl.value) }));
        this.#fillField(area, area.inputEl, (settings) => {
          if (settings) area.setValue(settings[key].join("\n"));
          setting.setDesc(t(settings === null ? "settings.vaultUnavailable" : `settings.${id}Help`));
        });
      });
    });
  }

  #addFolderPicker(text: TextComponent): void {
    text.setPlaceholder(t("settings.excludeAdd")).inputEl.setAttr("aria-label", t("settings.excludeAdd"));
    new FolderSuggest(this.app, text.inputEl, (folder) => void this.parts.excludeFolder(folder).then(() => this.#fill()));
    this.#fillField(text, text.inputEl, () => undefined);
  }

  #balanceRow(): Row {
    return row("balance", (setting) => setting.addSlider((slider) => {
      const show = valueBeside(setting, slider, (value) => percent(value / 100));
      slider.setLimits(0, 100, 5).sliderEl.addEventListener("change", () => void this.#write(weightsOf(slider.sliderEl.valueAsNumber)));
      this.#fillField(slider, slider.sliderEl, (settings) => {
        slider.setValue(settings === null ? 50 : balanceOf(settings));
        show();
      });
    }));
  }

  /** The models to choose from, and a field for the name of any other. */
  #modelRow(): Row {
    return row("model", (setting) => {
      setting.settingEl.addClass("quarry-model");
      setting.addDropdown((dropdown) => {
        dropdown.selectEl.addEventListener("change", () => void this.#chooseModel(dropdown.getValue()));
        this.#fillField(dropdown, dropdown.selectEl, (settings) => { if (settings) void this.#listModels(dropdown); });
      });
      setting.addText((text) => {
        text.inputEl.addEventListener("change", () => void this.#chooseModel(text.inputEl.value.trim() || "bundled"));
        this.#fillField(text, text.inputEl, (settings) => { if (settings) text.setValue(settings.model); });
      });
    });
  }

  /** One that the vault prefers and its user has not confirmed can be chosen: it is not in use. */
  async #listModels(dropdown: DropdownComponent): Promise<void> {
    const reply = await this.parts.listModels({});
    if (!reply.ok) return;
    const { chosen, models } = reply.value;
    dropdown.selectEl.empty();
    dropdown.addOptions(Object.fromEntries(models.map((choice) => [choice.name, modelWords(choice)])));
    dropdown.setValue(models.some(({ name, requests }) => name === chosen && requests.length === 0) ? chosen : "bundled");
  }

  /** Uses a model once the user confirms what is downloaded or sent for it. */
  async #chooseModel(name: string): Promise<void> {
    const reply = await this.parts.listModels({ model: name });
    await this.#fill(true); // the present one, if the user declines
    const choice = reply.ok ? reply.value.models.find((each) => each.name === name) : undefined;
    if (!reply.ok) new Notice(failureWords(reply.failure));
    if (!choice) return;
    const use = async (): Promise<void> => {
      const used = await this.parts.useModel({ model: name, confirmed: choice.requests.map(({ kind }) => kind) });
      if (!used.ok) new Notice(failureWords(used.failure));
      await this.#fill(true);
    };
    if (choice.requests.length === 0) return use();
    const sentences = [...choice.requests.map(({ message }) => message), ...(choice.obstacle ? [choice.obstacle] : [])];
    const words = { title: t("settings.modelConfirm", { model: name }), detail: joinSentences(...sentences.map(say)), confirm: t("settings.modelUse") };
    confirmDialog(this.app, words, () => void use()).open();
  }

  #textRow(id: "excludeStatus", shown: (settings: VaultSettings) => string, change: (text: string) => SettingsWriteParams, placeholder = ""): Row {
    return row(id, (setting) => setting.addText((text) => {
      text.setPlaceholder(placeholder).inputEl.addEventListener("change", () => void this.#write(change(text.inputEl.value)));
      this.#fillField(text, text.inputEl, (settings) => { if (settings) text.setValue(shown(settings)); });
    }));
  }

  /** A list to choose one of the vault's settings from. */
  #choiceRow<Key extends "fusion" | "stemming">(key: Key, choices: readonly VaultSettings[Key][]): Row {
    return row(key, (setting) => setting.addDropdown((dropdown) => {
      dropdown.addOptions(namesOf(choices)).selectEl.addEventListener("change", () => void this.#write({ [key]: dropdown.getValue() }));
      this.#fillField(dropdown, dropdown.selectEl, (settings) => {
        if (!settings) return;
        if (!choices.includes(settings[key])) dropdown.addOptions(namesOf([settings[key]])); // written into .quarry.toml by hand
        dropdown.setValue(settings[key]);
      });
    }));
  }

  /** A list to choose one of the pane's own settings from. */
  #preferenceRow<Key extends "naming" | "density">(key: Key, choices: readonly Preferences[Key][]): Row {
    return row(key, (setting) => setting.addDropdown((dropdown) => {
      dropdown.addOptions(namesOf(choices)).setValue(this.parts.settings()[key]);
      dropdown.selectEl.addEventListener("change", () => { this.#save({ [key]: dropdown.getValue() }); });
    }));
  }

  #flagRow(id: "templates" | "canvases" | "pdfs", key: "indexTemplates" | "indexCanvases" | "indexPdfs"): Row {
    return row(id, (setting) => setting.addToggle((toggle) => {
      let shown = false;
      toggle.onChange((isOn) => { if (isOn !== shown) void this.#write({ [key]: isOn }); }); // not when the filler sets it
      this.#fillField(toggle, toggle.toggleEl, (settings) => {
        shown = settings?.[key] ?? false;
        toggle.setValue(shown);
      });
    }));
  }
}

type RowId = "balance" | "canvases" | "density" | "enginePath" | "exclude" | "excludeStatus" | "fusion" | "include" | "inspect" | "limit" | "model" | "naming" | "pdfs" | "rebuild" | "report" | "restart" | "statusBar" | "stemming" | "templates";

/** A row with its name, and the sentence below it. */
function row(id: RowId, build: Row["build"]): Row {
  return { name: t(`settings.${id}`), help: t(`settings.${id}Help`), build };
}

function buttonRow(id: "inspect" | "rebuild" | "report" | "restart", label: string, run: () => void): Row {
  return row(id, (setting) => setting.addButton((button) => button.setButtonText(label).onClick(run)));
}

/** The names of *choices*, in their order. */
function namesOf(choices: readonly (Fusion | Stemming | Naming | Density)[]): Record<string, string> {
  return Object.fromEntries(choices.map((choice) => [choice, t(`settings.${choice}`)]));
}

/** Writes the value of a slider beside it, and again when the result is called. */
function valueBeside(setting: Setting, slider: SliderComponent, words: (value: number) => string): () => void {
  const el = createSpan({ cls: "quarry-slider-value" });
  setting.controlEl.prepend(el);
  const show = (): void => { el.setText(words(slider.getValue())); };
  slider.sliderEl.addEventListener("input", show);
  return show;
}

function drawRow(setting: Setting, { name, help, build }: Row): void {
  setting.setName(name).setDesc(help);
  build(setting);
  for (const field of setting.controlEl.findAll("input, select, textarea")) field.setAttr("aria-label", name); // the name beside it is not a label
}
