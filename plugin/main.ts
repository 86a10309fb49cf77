/** The plugin's lifecycle: load the settings, build and register the parts, unload. */
import { FileSystemAdapter, Notice, Platform, Plugin, addIcon, getLanguage } from "obsidian";
import { type Actions, createActions } from "./actions";
import { type ApiHandle, createApi } from "./api/api";
import { cliCommands } from "./api/cli";
import type { QuarryApi } from "./api/quarry-api";
import { windowClock } from "./clock";
import { addCommands, addPaneCommands, savedCommands } from "./commands";
import { DiagnosticLog } from "./diagnostic-log";
import { registerPlaces } from "./ui/views/views";
import { forget, historyOf, remember } from "./pane/history";
import { openBestHit, readSearchLink, type SearchLink } from "./ui/pane/search-link";
import { SearchSession } from "./search/session";
import { tieredRequester } from "./search/tiers";
import { NamesFallback } from "./search/names-fallback";
import { DEFAULTS, MAX_SAVED, type Preferences, migrate } from "./settings";
import { RpcClient } from "./sidecar/client";
import { Connection } from "./sidecar/connection";
import { consentIn } from "./sidecar/programs";
import { createLauncher } from "./sidecar/process";
import { Supervisor } from "./sidecar/supervisor";
import { Emitter } from "./emitter";
import { roomFor } from "./snippet/excerpt";
import { ICON, ICON_SVG } from "./ui/icon";
import { CaptureModal } from "./ui/dialogs/capture-modal";
import { LastEditor } from "./ui/list/insert";
import { indexStatusLine } from "./ui/pane/status";
import { freshness, isQuiet } from "./pane/state";
import { type History, type PaneParts } from "./ui/pane/pane-commands";
import { INSPECTOR_VIEW, Inspector } from "./ui/inspector/inspector";
import { InspectorView } from "./ui/inspector/inspector-view";
import { SearchView, VIEW_TYPE } from "./ui/pane/search-view";
import { QuarrySettingTab } from "./ui/settings/settings-tab";
import { chooseLanguage, t } from "./i18n/translate";
import { NoteNames } from "./vault/note-names";
import { VaultSync } from "./vault/sync";
import { watchVault } from "./vault/watcher";

// In local storage, per device and per vault: a path from a synced file must never decide which program runs.
const ENGINE_PATH_KEY = "quarry-engine-path";
const CONSENT_KEY = "quarry-engine-consent";
const HISTORY_KEY = "quarry-recent-searches";

export default class QuarryPlugin extends Plugin {
  #preferences: Preferences = DEFAULTS;
  readonly #preferencesChanged = new Emitter<void>();
  readonly #diagnosticLog = new DiagnosticLog();
  #supervisor: Supervisor | null = null;
  #apiHandle: ApiHandle | null = null;

  /** For other plugins; see api/quarry-api.d.ts. */
  get api(): QuarryApi | null {
    return this.#apiHandle?.api ?? null;
  }

  override async onload(): Promise<void> {
    chooseLanguage(getLanguage());
    const { adapter } = this.app.vault;
    if (!Platform.isDesktopApp || !(adapter instanceof FileSystemAdapter)) {
      new Notice(t("notice.desktopOnly"));
      return;
    }
    this.#preferences = migrate(await this.loadData());
    const connection = new Connection({
      openSocket: (url) => new WebSocket(url),
      clock: windowClock,
      clientName: "obsidian",
      clientVersion: this.manifest.version,
    });
    const client = new RpcClient(connection, windowClock, this.#diagnosticLog.log);
    const supervisor = new Supervisor({
      launcher: createLauncher({ vaultPath: adapter.getBasePath(), clock: windowClock }),
      connection,
      client,
      clock: windowClock,
      chosenProgram: () => this.#enginePath,
      consent: consentIn({
        read: () => this.app.loadLocalStorage(CONSENT_KEY) as unknown,
        write: (answers) => { this.app.saveLocalStorage(CONSENT_KEY, answers); },
      }),
    });
    this.#supervisor = supervisor;
    const actions = createActions(this.app, this.manifest, client, supervisor, this.#diagnosticLog, () => void inspector.open());
    const inspector = new Inspector({ app: this.app, client, supervisor, clock: windowClock, ...actions });
    inspector.register(this);
    this.registerView(INSPECTOR_VIEW, (leaf) => new InspectorView(leaf, inspector));
    this.#registerPane(client, supervisor, actions);
    this.#registerStatusBar(supervisor, inspector);
    this.#registerCommands(client, supervisor, actions, inspector);
    this.#registerSettings(client, supervisor, actions, inspector);
    this.#registerApi(client, supervisor);
    // Not earlier: until then Obsidian reports every file as created, and its own start must not be slowed down.
    this.app.workspace.onLayoutReady(() => {
      this.#registerSync(client, supervisor);
      supervisor.start();
      this.registerDomEvent(window, "focus", () => { supervisor.lookAgain(); }); // back from the terminal, it may be there
    });
  }

  override onunload(): void {
    void this.#supervisor?.stop();
    this.#supervisor = null;
  }

  override async onExternalSettingsChange(): Promise<void> {
    this.#preferences = migrate(await this.loadData());
    this.#preferencesChanged.emit();
  }

  // --- registering --------------------------------------------------------------------------------

  #registerPane(client: RpcClient, supervisor: Supervisor, actions: Actions): void {
    const names = new NoteNames(this.app, windowClock);
    names.watch(this);
    const searcher = new NamesFallback(client, supervisor, names, windowClock);
    const lastEditor = new LastEditor(this.app);
    this.registerEvent(this.app.workspace.on("active-leaf-change", (leaf) => { lastEditor.observe(leaf); }));
    const parts: PaneParts = {
      client,
      createSession: (tiers = () => []) => new SearchSession(tieredRequester(searcher, () => (supervisor.state.kind === "live" ? tiers() : [])), windowClock, { mode: this.#preferences.mode, limit: this.#preferences.limit, snippetWidth: roomFor(0, this.#preferences.density).asked }),
      clock: windowClock,
      engine: supervisor,
      indexUpdated: searcher.updated,
      preferences: () => this.#preferences,
      preferencesChanged: this.#preferencesChanged,
      savePreferences: (change) => void this.#save({ ...this.#preferences, ...change }),
      copy: actions.copy,
      lastEditor,
      engineCommands: actions.commands,
      history: this.#history(),
    };
    this.registerView(VIEW_TYPE, (leaf) => new SearchView(leaf, parts));
    registerPlaces(this, { ...parts, openPane: (query) => void this.#openPane(query), paneSearch: () => this.#panes().map((pane) => pane.search).find((search) => search !== null) ?? null });
    addIcon(ICON, ICON_SVG);
    this.addRibbonIcon(ICON, t("pane.open"), () => void this.#openPane());
    this.registerObsidianProtocolHandler("quarry", (params) => void this.#followLink(readSearchLink(params), client, supervisor));
    this.register(supervisor.changed.listen(({ kind }) => {
      if (kind === "failed") new Notice(t("notice.gaveUp"));
    }));
  }

  #registerStatusBar(supervisor: Supervisor, inspector: Inspector): void {
    const el = this.addStatusBarItem();
    el.addClass("mod-clickable");
    const isLive = (): boolean => supervisor.state.kind === "live"; // else the pane says what to do
    this.registerDomEvent(el, "click", () => void (isLive() ? inspector.open() : this.#openPane()));
    const showState = indexStatusLine(el);
    const show = (): void => {
      const state = freshness(supervisor.state, supervisor.status);
      showState(state);
      el.setAttr("aria-label", t(isLive() ? "action.open-inspector" : "pane.open"));
      const isInPane = this.#panes().some(({ contentEl }) => contentEl.offsetParent !== null); // which says the same
      el.toggleClass("is-hidden", !this.#preferences.showsStatusBar || isQuiet(state) || isInPane);
    };
    const showSoon = (): void => { window.requestAnimationFrame(show); }; // once the pane is, or is no longer, in sight
    for (const event of ["layout-change", "resize"] as const) this.registerEvent(this.app.workspace.on(event as "resize", showSoon));
    this.register(supervisor.changed.listen(show));
    this.register(supervisor.statusChanged.listen(show));
    this.register(this.#preferencesChanged.listen(show));
    show();
  }

  #registerCommands(client: RpcClient, supervisor: Supervisor, { commands, copy }: Actions, inspector: Inspector): void {
    let draft = ""; // what was typed into the dialog and not captured
    addCommands(this, {
      openSearch: (query) => void this.#openPane(query),
      explainNote: () => {
        const file = this.app.workspace.getActiveFile();
        const pane = this.#panes().find(({ hasQuery }) => hasQuery);
        return file && pane ? () => void pane.explain(file.path) : null;
      },
      capture: () => {
        const selection = this.app.workspace.activeEditor?.editor?.getSelection() ?? "";
        new CaptureModal(this.app, client, (text) => { draft = text; }, selection === "" ? draft : selection).open();
      },
      copySearchLink: () => {
        const link = this.#panes().map((pane) => pane.link).find((one) => one !== null);
        return link === undefined ? null : () => { copy(link); };
      },
      inspector,
      pauseOrResume: () => { commands[supervisor.status?.state === "paused" ? "resume" : "pause"](); },
      restart: commands.restart,
      copyReport: commands["copy-report"],
      isLive: () => supervisor.state.kind === "live",
    });
    addPaneCommands(this, () => {
      const pane = this.app.workspace.getActiveViewOfType(SearchView);
      return pane && ((what) => { pane.perform(what); });
    });
    const updateSaved = savedCommands(this, (query) => void this.#openPane(query));
    const update = (): void => { updateSaved(this.#preferences.saved); };
    this.register(this.#preferencesChanged.listen(update));
    update();
  }

  #registerSettings(client: RpcClient, supervisor: Supervisor, { commands, rebuild }: Actions, inspector: Inspector): void {
    const tab = new QuarrySettingTab(this.app, this, {
      settings: () => this.#preferences,
      save: (settings) => void this.#save(settings),
      engine: supervisor,
      enginePath: () => this.#enginePath,
      saveEnginePath: (path) => {
        this.app.saveLocalStorage(ENGINE_PATH_KEY, path);
        supervisor.start();
      },
      readVault: () => client.call("settings/read", {}),
      excludeFolder: (folder) => inspector.exclude(folder),
      listModels: (which) => client.call("models/list", which),
      useModel: (choice) => client.call("models/use", choice),
      writeVault: (change) => client.call("settings/write", change),
      rebuild,
      commands,
    });
    this.addSettingTab(tab);
  }

  /** What other plugins and Obsidian's command line can ask. */
  #registerApi(client: RpcClient, supervisor: Supervisor): void {
    const { workspace } = this.app;
    const handle = createApi({
      client,
      engine: supervisor,
      openSearch: (query) => void this.#openPane(query),
      log: this.#diagnosticLog.log,
    });
    this.#apiHandle = handle;
    this.register(() => {
      handle.close();
      workspace.trigger("quarry:unloaded", handle.api);
    });
    for (const { id, description, flags, run } of cliCommands(handle.api)) this.registerCliHandler(id, description, flags, run);
    workspace.trigger("quarry:loaded", handle.api);
  }

  #registerSync(client: RpcClient, supervisor: Supervisor): void {
    const sync = new VaultSync(client, windowClock, this.#diagnosticLog.log);
    for (const event of watchVault(this.app.vault, (change) => { sync.push(change); })) this.registerEvent(event);
    this.register(supervisor.changed.listen(({ kind }) => { sync.setConnected(kind === "live"); }));
    this.register(() => { sync.stop(); });
  }

  // --- panes, settings and history -----------------------------------------------------------------

  async #openPane(query?: string): Promise<void> {
    const leaf = await this.app.workspace.ensureSideLeaf(VIEW_TYPE, "right", { active: true, reveal: true });
    await leaf.loadIfDeferred();
    if (!(leaf.view instanceof SearchView)) return;
    if (query !== undefined) leaf.view.setQuery(query, true);
    leaf.view.focusInput();
  }

  async #followLink({ query, mode, opensBest }: SearchLink, client: RpcClient, supervisor: Supervisor): Promise<void> {
    const isLive = supervisor.state.kind === "live";
    if (query !== null && opensBest && isLive && (await openBestHit(this.app, client, query, mode ?? this.#preferences.mode))) return;
    if (mode !== null) void this.#save({ ...this.#preferences, mode });
    await this.#openPane(query ?? undefined);
  }

  #panes(): readonly SearchView[] {
    return this.app.workspace.getLeavesOfType(VIEW_TYPE).flatMap(({ view }) => (view instanceof SearchView ? [view] : []));
  }

  async #save(preferences: Preferences): Promise<void> {
    this.#preferences = preferences;
    this.#preferencesChanged.emit();
    await this.saveData(preferences);
  }

  #history(): History {
    const all = (): readonly string[] => historyOf(this.app.loadLocalStorage(HISTORY_KEY));
    const changed = new Emitter<void>();
    const store = (queries: readonly string[] | null): void => { this.app.saveLocalStorage(HISTORY_KEY, queries); };
    return {
      changed,
      all,
      add: (query) => { store(remember(all(), query)); },
      forget: (query) => {
        store(forget(all(), query));
        changed.emit();
      },
      clear: () => {
        store(null);
        changed.emit();
      },
      saved: () => this.#preferences.saved,
      toggleSaved: (query) => {
        const { saved } = this.#preferences;
        if (saved.length >= MAX_SAVED && !saved.includes(query)) new Notice(t("notice.savedFull", { count: MAX_SAVED }));
        else void this.#save({ ...this.#preferences, saved: saved.includes(query) ? forget(saved, query) : [query, ...saved] });
        changed.emit();
      },
    };
  }

  get #enginePath(): string | null {
    const path: unknown = this.app.loadLocalStorage(ENGINE_PATH_KEY);
    return typeof path === "string" && path !== "" ? path : null;
  }
}
