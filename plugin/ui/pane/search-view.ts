/** The search pane as Obsidian's view: a search box with its session, around the list of results. */
import { ItemView, type Menu, Notice, Platform, type ViewStateResult, type WorkspaceLeaf } from "obsidian";
import { type Cancel } from "../../clock";
import { explainWords } from "../../i18n/answer";
import { failureWords } from "../../i18n/engine";
import { t } from "../../i18n/translate";
import { type ActionId, type CommandMap } from "../../pane/commands";
import { ClearedQuery, QueryWalk } from "../../pane/history";
import { movesCaret, type PaneKey, paneKey } from "../../pane/keys";
import { fileName } from "../../pane/note-name";
import { type Mode, type SortOrder, SORTS } from "../../protocol/messages";
import { type SearchState } from "../../search/answer";
import { type SearchSession } from "../../search/session";
import { DENSITIES } from "../../snippet/excerpt";
import { vaultNames } from "../completion/vault-names";
import { explainDialog, keyDialog } from "../dialogs/modals";
import { ICON } from "../icon";
import { focusNote } from "../list/list-input";
import { ResultList } from "../list/result-list";
import { fillEmptyBox } from "./empty-box";
import { isAtEnd, keyScope, listenToInput, type PaneParts, queryCommands, setSearchOptions, showHistory } from "./pane-commands";
import { buildPane, type PaneDom, type TierChoice } from "./pane-dom";
import { searchLink } from "./search-link";

export const VIEW_TYPE = "quarry-search";

const TIERS_MS = 500; // the menu is not opened later than that
const REST_MS = 2_000; // a query that stays so long was meant

export class SearchView extends ItemView {
  override navigation = false;
  override icon = ICON;
  readonly #cleared = new ClearedQuery();
  readonly #session: SearchSession;
  #dom: PaneDom | null = null;
  #list: ResultList | null = null;
  #commands: CommandMap<ActionId> | null = null;
  readonly #walk = new QueryWalk();
  /** An arrow key was pressed since the query was entered, so that the keyboard is with the rows. */
  #isAmongRows = false;
  #cancelRest: Cancel = () => undefined;
  /** The names of the tiers that are searched beside the vault. */
  #tiers: readonly string[] = [];

  constructor(
    leaf: WorkspaceLeaf,
    private readonly parts: PaneParts,
  ) {
    super(leaf);
    this.#session = parts.createSession(() => this.#tiers);
  }

  getViewType(): string {
    return VIEW_TYPE;
  }

  getDisplayText(): string {
    return t("pane.title");
  }

  override getState(): Record<string, unknown> {
    return { query: this.#dom?.input.value ?? "", sort: this.#session.sort, tiers: this.#tiers, scroll: this.#dom?.list.bodyEl.scrollTop ?? 0 };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    await super.setState(state, result);
    const { query, sort, tiers, scroll }: Partial<Record<string, unknown>> = typeof state === "object" && state !== null ? { ...state } : {};
    if (sort !== undefined) this.#session.setSort(SORTS.find((order) => order === sort) ?? "relevance");
    if (Array.isArray(tiers)) this.#tiers = tiers.filter((name) => typeof name === "string");
    if (typeof query !== "string" || query === this.#dom?.input.value) return;
    this.setQuery(query);
    this.#list?.view.scrollTo(typeof scroll === "number" && scroll > 0 && Number.isFinite(scroll) ? scroll : 0);
  }

  /** Puts a query into the box that was not typed there; with `isComplete` its last word is never taken for a prefix. */
  setQuery(query: string, isComplete = false): void {
    if (!this.#dom || this.#dom.input.value === query) return;
    this.#dom.input.value = query;
    this.#cleared.observe(query);
    this.#beginQuery();
    this.#dom.completions.close();
    this.#session.setQuery(query, isComplete);
    this.#session.finishTyping();
  }

  /** What is searched for, and how; null without a query. */
  get search(): { readonly query: string; readonly mode: Mode } | null {
    const query = this.#dom?.input.value.trim() ?? "";
    return query === "" ? null : { query, mode: this.parts.preferences().mode };
  }

  /** A link to this search; null where there is none. */
  get link(): string | null {
    const { search } = this;
    return search && searchLink(this.app.vault.getName(), search.query, search.mode);
  }

  override onPaneMenu(menu: Menu, source: string): void {
    super.onPaneMenu(menu, source);
    const { link } = this;
    if (link !== null) menu.addItem((item) => item.setTitle(t("command.copy-search-link")).setIcon("link").onClick(() => { this.parts.copy(link); }));
  }

  get hasQuery(): boolean {
    return this.#session.state.kind !== "idle";
  }

  /** Opens a dialog that explains why a note is or is not in the results. */
  async explain(path: string): Promise<void> {
    const reply = await this.#session.explain(path);
    if (reply.ok) explainDialog(this.app, fileName(path), explainWords(reply.value)).open();
    else new Notice(failureWords(reply.failure));
  }

  focusInput(): void {
    this.#dom?.input.focus();
    this.#dom?.input.select();
  }

  protected override async onOpen(): Promise<void> {
    await super.onOpen();
    const dom = this.#build();
    const list = new ResultList(dom.list, {
      ...this.parts,
      app: this.app,
      source: this.#session,
      around: dom.around,
      place: VIEW_TYPE,
      leaf: this.leaf,
      explain: (path) => void this.explain(path),
      offersNote: true,
      opening: () => { this.parts.history.add(dom.input.value); },
      queries: this.parts.history,
      chooseQuery: ({ query }) => {
        this.setQuery(query, true);
        dom.input.focus();
      },
    });
    this.#dom = dom;
    this.#list = list;
    this.#commands = this.#commandsFor(dom, list);
    listenToInput(this, dom, {
      typed: (text) => { this.#onInput(text); },
      key: (event) => this.#onKey(event),
      left: () => { this.#session.finishTyping(); },
    });
    this.registerDomEvent(dom.input, "beforeinput", (event) => { this.#onBeforeInput(event, dom.input); });
    this.scope = keyScope(this.app, (event) => event.target === dom.input && (dom.completions.handleKey(event) || this.#onKey(event)));
    this.#listenToSources(); // before the list does: an emptied box shows the queries as they are now
    this.addChild(list);
    fillEmptyBox({ ...this.parts, app: this.app, search: this.#session, list, el: this.contentEl });
    this.#readPreferences();
    this.#readHistory();
    this.onResize();
  }

  override onResize(): void {
    this.#list?.view.measure();
    this.#setSearchOptions();
  }

  protected override async onClose(): Promise<void> {
    this.#cancelRest();
    this.#session.close();
    if (this.#list) this.removeChild(this.#list);
    this.#dom = null;
    this.#list = null;
    await super.onClose();
  }

  #readHistory(): void {
    if (this.#list) showHistory(this.#list, this.parts.history);
  }

  #readPreferences(): void {
    this.#list?.readPreferences();
    this.#setSearchOptions();
  }

  #setSearchOptions(): void {
    if (this.#list) setSearchOptions(this.#session, this.#list.view, this.parts.preferences());
  }

  #build(): PaneDom {
    return buildPane(this.contentEl, {
      clock: this.parts.clock,
      queries: this.parts.history,
      act: (action) => { this.#commands?.[action](); },
      copy: this.parts.copy,
      chooseMode: (mode) => { this.#chooseMode(mode); },
      sort: () => this.#session.sort,
      chooseSort: (order) => { this.#chooseSort(order); },
      tiers: () => this.#connectedTiers(),
      isTiered: () => this.#tiers.length > 0,
      takeChip: (rest) => { this.setQuery(rest, true); },
      names: () => vaultNames(this.app),
      completed: () => { this.#onInput(this.#dom?.input.value ?? ""); },
    });
  }

  #commandsFor(dom: PaneDom, list: ResultList): CommandMap<ActionId> {
    const { input, completions } = dom;
    const showOperators = (): void => {
      input.focus();
      completions.openAll();
    };
    const toggleHelp = (): void => { list.dispatch({ kind: "help-toggled" }); };
    return {
      ...this.parts.engineCommands,
      ...queryCommands({ model: () => list.model, input, setQuery: (query, isComplete) => { this.setQuery(query, isComplete); }, toggleHelp }),
      "add-filter": () => {
        if (/\S$/.test(input.value)) input.value += " ";
        input.setSelectionRange(input.value.length, input.value.length);
        showOperators();
      },
      "change-density": () => { this.parts.savePreferences({ density: nextOf(DENSITIES, list.model.density) }); },
      "clear-history": () => { this.parts.history.clear(); },
      "search-again": () => { this.#session.refresh(); },
      "search-both": () => { this.#chooseMode("hybrid"); },
      "show-keys": () => { keyDialog(this.app).open(); },
      "show-operators": showOperators,
    };
  }

  #listenToSources(): void {
    this.register(this.#session.changed.listen((search) => {
      if (search.kind === "idle") this.#readHistory();
      this.#rememberAtRest(search);
    }));
    this.register(this.parts.history.changed.listen(() => { this.#readHistory(); }));
    this.register(this.parts.preferencesChanged.listen(() => {
      this.#readPreferences();
      if (!this.hasQuery) this.#readHistory(); // stars may have been synced
    }));
  }

  /** Remembers a query that was looked at for a while, whether or not a row was opened. */
  #rememberAtRest(search: SearchState): void {
    if (search.kind === "results" && search.isRefresh) return;
    this.#cancelRest();
    if (search.kind !== "results" || search.answer.hits.length === 0) return;
    const { query } = search.answer;
    this.#cancelRest = this.parts.clock.after(REST_MS, () => { 
      this.parts.history.add(query);
      void this.app.workspace.requestSaveLayout(); // with the query, for the next start
    });
  }

  #onInput(text: string): void {
    this.#cleared.observe(text);
    this.#beginQuery();
    this.#session.setQuery(text);
    this.#dom?.completions.update();
  }

  #beginQuery(): void {
    this.#isAmongRows = false;
    this.#list?.restart();
  }

  /** Handles a key of the search box; true when it was handled. */
  #onKey(event: KeyboardEvent): boolean {
    const key = paneKey(event, Platform.isMacOS);
    const input = this.#dom?.input;
    if (!key || !input || movesCaret(event, isAtEnd(input), this.#isAmongRows)) return false;
    if (key.kind === "command" && key.command === "copy-link" && input.selectionStart !== input.selectionEnd) return false; // it copies the text
    if (key.kind === "keys" && input.value !== "") return false;
    if (key.kind === "peek" && !this.#isAmongRows) return false;
    return this.#perform(key, event);
  }

  /** What a command of Obsidian does in the pane. */
  perform(what: PaneKey | ActionId): void {
    if (typeof what === "string") this.#commands?.[what]();
    else this.#perform(what, null);
  }

  #perform(key: PaneKey, event: KeyboardEvent | null): boolean {
    switch (key.kind) {
      case "escape":
        if (!this.#list?.handleKey(key, event)) focusNote(this.app); // the query stays: the cross in the box clears it
        return true;
      case "undo":
        return this.#restoreQuery();
      case "open":
        this.#list?.handleKey(key, event);
        this.#session.finishTyping();
        return true;
      case "move":
      case "extend":
        this.#isAmongRows = true;
        return this.#list?.handleKey(key, event) ?? false;
      case "command":
      case "expand":
      case "keys":
      case "peek":
      case "create":
      case "menu":
      case "suggestions":
        return this.#list?.handleKey(key, event) ?? false;
      case "history":
        this.#stepThroughHistory(key.step);
        return true;
      case "save":
        this.#toggleSaved();
        return true;
      case "mode":
        this.#chooseMode(key.mode);
        return true;
    }
  }

  #stepThroughHistory(step: number): void {
    const query = this.#walk.next(this.#dom?.input.value ?? "", step, this.parts.history.all());
    if (query !== null) this.setQuery(query, true);
  }

  #toggleSaved(): void {
    const query = this.search?.query;
    if (query === undefined) return;
    this.parts.history.toggleSaved(query);
    new Notice(t(this.parts.history.saved().includes(query) ? "pane.isSaved" : "pane.isUnsaved"));
  }

  /** Further words after the space that opened a peek: the space was theirs, and is written before them, or deleted. */
  #onBeforeInput(event: InputEvent, input: HTMLInputElement): void {
    if (this.#list?.peek.isOpen !== true || event.isComposing) return;
    if (event.inputType.startsWith("insert")) input.setRangeText(" ", input.selectionStart ?? 0, input.selectionEnd ?? 0, "end");
    else if (event.inputType === "deleteContentBackward") {
      event.preventDefault();
      this.#list.restart();
    }
  }

  /** Brings back a query that was cleared; false when there is none. */
  #restoreQuery(): boolean {
    const query = this.#cleared.restorable;
    if (query !== null) this.setQuery(query, true);
    return query !== null;
  }

  #chooseSort(order: SortOrder): void {
    this.#session.setSort(order);
    this.app.workspace.requestSaveLayout();
    this.#dom?.input.focus();
  }

  /** What is connected beside the vault. A tier that is connected no longer is not searched any more. */
  async #connectedTiers(): Promise<readonly TierChoice[]> {
    if (this.parts.engine.state.kind !== "live") return [];
    const reply = await this.parts.client.request("tiers/list", {}, TIERS_MS).reply;
    if (!reply.ok) return [];
    const origins = reply.value.tiers.map(({ origin }) => origin).filter(({ kind }) => kind !== "home");
    this.#tiers = this.#tiers.filter((chosen) => origins.some(({ name }) => name === chosen));
    return origins.map(({ name }) => {
      const isChosen = this.#tiers.includes(name);
      return { name, isChosen, toggle: () => { this.#chooseTiers(isChosen ? this.#tiers.filter((other) => other !== name) : [...this.#tiers, name]); } };
    });
  }

  #chooseTiers(tiers: readonly string[]): void {
    this.#tiers = tiers;
    this.app.workspace.requestSaveLayout();
    this.#session.refresh();
    this.#dom?.input.focus();
  }

  #chooseMode(mode: Mode): void {
    this.parts.savePreferences({ mode });
    this.#dom?.input.focus();
  }
}

function nextOf<T>(values: readonly T[], value: T): T {
  return values[(values.indexOf(value) + 1) % values.length] ?? value;
}

