/**
 * The settings tab. Settings are stored in three places: those of the pane in data.json, the engine's program on this
 * device only, and those of the vault in `.quarry.toml`, which the sidecar reads and writes.
 *
 * Rows are described once. Obsidian 1.13 takes them as definitions, which its settings search can find; older versions
 * have them drawn as a page.
 */
import { type App, Notice, type Plugin, PluginSettingTab, Setting, type SettingDefinitionItem } from "obsidian";
import { type Fusion, type Stemming, type Settings as VaultSettings, type SettingsWriteParams } from "../protocol/messages";
import { LIMITS, type Preferences } from "../settings";
import { type Reply } from "../sidecar/failure";
import { DENSITY_NAMES, FUSION_NAMES, NAMING_NAMES, SETTINGS_TEXT, STEMMING_NAMES } from "../wording/settings";
import { foldersOf, isFullPath, statusesOf, weightOf } from "./settings-values";
import { type ObservableEngine, freshness } from "../pane/state";
import { type CommandMap, type EngineActionId } from "../pane/commands";

import { failureWords } from "../wording/failures";
import { freshnessWords, statusSummary } from "../wording/freshness";

const WORDS = SETTINGS_TEXT;
const PROBLEMS_SHOWN = 20;
const FUSIONS: readonly Fusion[] = ["convex", "rrf", "six-signals"];
const STEMMINGS: readonly Stemming[] = ["by-language", "none"];

export interface SettingsParts {
  readonly settings: () => Preferences;
  readonly save: (settings: Preferences) => void;
  readonly engine: ObservableEngine;
  /** The chosen program; null to search the usual places. */
  readonly enginePath: () => string | null;
  readonly saveEnginePath: (path: string | null) => void;
  readonly readVault: () => Promise<Reply<VaultSettings>>;
  readonly writeVault: (change: SettingsWriteParams) => Promise<Reply<VaultSettings>>;
  readonly rebuild: () => void;
  readonly commands: CommandMap<EngineActionId>;
}

interface Row {
  readonly name: string;
  readonly help: string;
  readonly build: (setting: Setting) => void;
}

interface Group {
  readonly heading: string;
  readonly rows: readonly Row[];
}

/** Fills a control with one of the vault's settings, which are null while they cannot be read. */
type Filler = (settings: VaultSettings | null) => void;

export class QuarrySettingTab extends PluginSettingTab {
  private fillers: Filler[] = [];
  private stopListening: (() => void)[] = [];

  constructor(
    app: App,
    plugin: Plugin,
    private readonly parts: SettingsParts,
  ) {
    super(app, plugin);
  }

  override getSettingDefinitions(): SettingDefinitionItem[] {
    this.begin();
    return this.groups().map(({ heading, rows }) => ({
      type: "group" as const,
      heading,
      items: rows.map((row) => ({
        name: row.name,
        desc: row.help,
        render: (setting: Setting) => {
          drawRow(setting, row);
        },
      })),
    }));
  }

  override display(): void {
    this.begin();
    this.containerEl.empty();
    for (const { heading, rows } of this.groups()) {
      new Setting(this.containerEl).setName(heading).setHeading();
      for (const row of rows) drawRow(new Setting(this.containerEl), row);
    }
  }

  override hide(): void {
    this.end();
    super.hide();
  }

  private begin(): void {
    this.end();
    this.stopListening.push(
      this.parts.engine.changed.listen(() => void this.fill()),
    );
    // Deferred: Obsidian creates the rows, and with them the fillers, after it has read the definitions.
    window.setTimeout(() => void this.fill(), 0);
  }

  private end(): void {
    for (const stop of this.stopListening) stop();
    this.stopListening = [];
    this.fillers = [];
  }

  private async fill(): Promise<void> {
    if (this.fillers.length === 0) return;
    const reply = await this.parts.readVault();
    for (const filler of this.fillers) filler(reply.ok ? reply.value : null);
  }

  private async write(change: SettingsWriteParams): Promise<void> {
    const reply = await this.parts.writeVault(change);
    if (!reply.ok) new Notice(failureWords(reply.failure));
    else if (change.stemming !== undefined) new Notice(WORDS.stemmingChanged);
    await this.fill();
  }

  // --- rows ---------------------------------------------------------------------------------------

  private groups(): readonly Group[] {
    return [
      { heading: WORDS.engineGroup, rows: [this.statusRow(), this.pathRow(), this.restartRow(), this.reportRow()] },
      {
        heading: WORDS.vaultGroup,
        rows: [
          this.foldersRow(WORDS.include, WORDS.includeHelp, "includeFolders"),
          this.foldersRow(WORDS.exclude, WORDS.excludeHelp, "excludeFolders"),
          this.templatesRow(),
          this.statusesRow(),
          this.modelRow(),
          this.weightRow(WORDS.lexicalWeight, "lexicalWeight"),
          this.weightRow(WORDS.denseWeight, "denseWeight"),
          this.fusionRow(),
          this.stemmingRow(),
          this.rebuildRow(),
        ],
      },
      { heading: WORDS.paneGroup, rows: [this.namingRow(), this.densityRow(), this.limitRow(), this.statusBarRow()] },
    ];
  }

  private statusRow(): Row {
    const build = (setting: Setting): void => {
      const show = (): void => {
        setting.setDesc(this.statusText());
      };
      show();
      this.stopListening.push(this.parts.engine.changed.listen(show), this.parts.engine.statusChanged.listen(show));
    };
    return { name: WORDS.status, help: "", build };
  }

  private statusText(): DocumentFragment {
    const { state, status } = this.parts.engine;
    return createFragment((fragment) => {
      fragment.createDiv({ text: freshnessWords(freshness(state, status)).text });
      if (!status) return;
      fragment.createDiv({ text: statusSummary(status.notes, status.chunks, status.excluded, status.sizeBytes) });
      for (const message of [status.message, status.deepening?.message ?? null]) {
        if (message !== null) fragment.createDiv({ text: message });
      }
      if (status.problems.length === 0) return;
      fragment.createDiv({ text: WORDS.problems });
      const list = fragment.createEl("ul");
      for (const { path, reason, skipped } of status.problems.slice(0, PROBLEMS_SHOWN)) {
        list.createEl("li", { text: `${path} (${skipped ? WORDS.skipped : WORDS.partly}): ${reason}` });
      }
    });
  }

  private pathRow(): Row {
    const build = (setting: Setting): void => {
      setting.addText((text) => {
        text.setPlaceholder(WORDS.enginePathExample).setValue(this.parts.enginePath() ?? "");
        text.inputEl.addEventListener("change", () => {
          const path = text.inputEl.value.trim();
          if (path !== "" && !isFullPath(path)) new Notice(WORDS.enginePathNotAbsolute);
          else this.parts.saveEnginePath(path === "" ? null : path);
        });
      });
    };
    return { name: WORDS.enginePath, help: WORDS.enginePathHelp, build };
  }

  private restartRow(): Row {
    return this.buttonRow(WORDS.restart, WORDS.restartHelp, WORDS.restartButton, () => {
      this.parts.commands.restart();
    });
  }

  private reportRow(): Row {
    return this.buttonRow(WORDS.report, WORDS.reportHelp, WORDS.reportButton, () => {
      this.parts.commands["copy-report"]();
    });
  }

  private rebuildRow(): Row {
    return this.buttonRow(WORDS.rebuild, WORDS.rebuildHelp, WORDS.rebuildButton, this.parts.rebuild);
  }

  private buttonRow(name: string, help: string, label: string, run: () => void): Row {
    const build = (setting: Setting): void => {
      setting.addButton((button) => button.setButtonText(label).onClick(run));
    };
    return { name, help, build };
  }

  private foldersRow(name: string, help: string, key: "includeFolders" | "excludeFolders"): Row {
    const build = (setting: Setting): void => {
      setting.addTextArea((area) => {
        area.inputEl.addEventListener("change", () => void this.write({ [key]: foldersOf(area.inputEl.value) }));
        this.fillers.push((settings) => {
          area.setDisabled(settings === null).setValue(settings?.[key].join("\n") ?? "");
          setting.setDesc(settings === null ? WORDS.vaultUnavailable : help);
        });
      });
    };
    return { name, help, build };
  }

  private modelRow(): Row {
    const build = (setting: Setting): void => {
      setting.addText((text) => {
        text.inputEl.addEventListener("change", () => void this.write({ model: text.inputEl.value.trim() || "bundled" }));
        this.fillers.push((settings) => {
          text.setDisabled(settings === null).setValue(settings?.model ?? "");
        });
      });
    };
    return { name: WORDS.model, help: WORDS.modelHelp, build };
  }

  private weightRow(name: string, key: "lexicalWeight" | "denseWeight"): Row {
    const build = (setting: Setting): void => {
      setting.addText((text) => {
        text.inputEl.addEventListener("change", () => {
          const weight = weightOf(text.inputEl.value);
          if (weight === null) new Notice(WORDS.weightInvalid);
          else void this.write({ [key]: weight });
        });
        this.fillers.push((settings) => {
          text.setDisabled(settings === null).setValue(settings === null ? "" : String(settings[key]));
        });
      });
    };
    return { name, help: WORDS.weightHelp, build };
  }

  private fusionRow(): Row {
    const build = this.dropdown(FUSION_NAMES, FUSIONS, ({ fusion }) => fusion, (fusion) => ({ fusion }));
    return { name: WORDS.fusion, help: WORDS.fusionHelp, build };
  }

  private stemmingRow(): Row {
    const build = this.dropdown(STEMMING_NAMES, STEMMINGS, ({ stemming }) => stemming, (stemming) => ({ stemming }));
    return { name: WORDS.stemming, help: WORDS.stemmingHelp, build };
  }

  /** Builds a list of *choices* to choose one of the vault's settings from. */
  private dropdown<Choice extends string>(
    names: Readonly<Record<Choice, string>>,
    choices: readonly Choice[],
    chosen: (settings: VaultSettings) => Choice,
    change: (choice: Choice) => SettingsWriteParams,
  ): Row["build"] {
    return (setting) => {
      setting.addDropdown((dropdown) => {
        const { selectEl } = dropdown.addOptions(names);
        selectEl.addEventListener("change", () => {
          const choice = choices.find((known) => known === selectEl.value);
          if (choice !== undefined) void this.write(change(choice));
        });
        this.fillers.push((settings) => {
          dropdown.setDisabled(settings === null);
          if (settings) dropdown.setValue(chosen(settings));
        });
      });
    };
  }

  private templatesRow(): Row {
    const build = (setting: Setting): void => {
      setting.addToggle((toggle) => {
        let shown = false;
        toggle.onChange((indexTemplates) => {
          if (indexTemplates !== shown) void this.write({ indexTemplates }); // not when the filler sets it
        });
        this.fillers.push((settings) => {
          shown = settings?.indexTemplates ?? false;
          toggle.setDisabled(settings === null).setValue(shown);
        });
      });
    };
    return { name: WORDS.templates, help: WORDS.templatesHelp, build };
  }

  private statusesRow(): Row {
    const build = (setting: Setting): void => {
      setting.addText((text) => {
        text.setPlaceholder(WORDS.excludeStatusExample);
        text.inputEl.addEventListener("change", () => void this.write({ excludeStatus: statusesOf(text.inputEl.value) }));
        this.fillers.push((settings) => {
          text.setDisabled(settings === null).setValue(settings?.excludeStatus.join(", ") ?? "");
        });
      });
    };
    return { name: WORDS.excludeStatus, help: WORDS.excludeStatusHelp, build };
  }

  private namingRow(): Row {
    const build = this.preferenceDropdown(NAMING_NAMES, ({ naming }) => naming, (naming) => ({ naming }));
    return { name: WORDS.naming, help: WORDS.namingHelp, build };
  }

  private densityRow(): Row {
    const build = this.preferenceDropdown(DENSITY_NAMES, ({ density }) => density, (density) => ({ density }));
    return { name: WORDS.density, help: WORDS.densityHelp, build };
  }

  /** Builds a list to choose one of the pane's own settings from. */
  private preferenceDropdown<Choice extends string>(
    names: Readonly<Record<Choice, string>>,
    chosen: (preferences: Preferences) => Choice,
    change: (choice: Choice) => Partial<Preferences>,
  ): Row["build"] {
    return (setting) => {
      setting.addDropdown((dropdown) => {
        const { selectEl } = dropdown.addOptions(names).setValue(chosen(this.parts.settings()));
        selectEl.addEventListener("change", () => {
          const choice = (Object.keys(names) as Choice[]).find((known) => known === selectEl.value);
          if (choice !== undefined) this.parts.save({ ...this.parts.settings(), ...change(choice) });
        });
      });
    };
  }

  private limitRow(): Row {
    const build = (setting: Setting): void => {
      setting.addSlider((slider) =>
        slider
          .setLimits(LIMITS.least, LIMITS.most, LIMITS.step)
          .setValue(this.parts.settings().limit)
          .onChange((limit) => {
            this.parts.save({ ...this.parts.settings(), limit });
          }),
      );
    };
    return { name: WORDS.limit, help: WORDS.limitHelp, build };
  }

  private statusBarRow(): Row {
    const build = (setting: Setting): void => {
      setting.addToggle((toggle) =>
        toggle.setValue(this.parts.settings().showsStatusBar).onChange((showsStatusBar) => {
          this.parts.save({ ...this.parts.settings(), showsStatusBar });
        }),
      );
    };
    return { name: WORDS.statusBar, help: WORDS.statusBarHelp, build };
  }
}

function drawRow(setting: Setting, { name, help, build }: Row): void {
  setting.setName(name).setDesc(help);
  build(setting);
}
