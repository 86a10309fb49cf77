/** The search pane as Obsidian's view: events of the session, the engine and the user become events of the model. */
import { type HoverPopover, ItemView, Keymap, Notice, type PaneType, type ViewStateResult, type WorkspaceLeaf } from "obsidian";
import { type Cancel } from "../clock";
import { ClearedQuery } from "../pane/cleared-query";
import { type ActionId, type CommandMap } from "../pane/commands";
import { paneKey } from "../pane/keys";
import { type PaneEvent, type PaneModel, emptyModel, reduce, selectedRow } from "../pane/model";
import { fileName } from "../pane/note-name";
import { type PlaceRow, type Row, isPlace } from "../pane/rows";
import { type Mode, type Passage } from "../protocol/messages";
import { type FurtherPassages } from "../search/passage-loader";
import { type SearchState, answerOf } from "../search/answer";
import { type SearchSession } from "../search/session";
import { DENSITIES } from "../snippet/layout";
import { explainWords } from "../wording/explanation";
import { failureWords } from "../wording/failures";
import { t } from "../wording/translate";
import { passagesAnnouncement } from "../wording/rows";
import { ICON } from "./icon";
import { ExplainModal } from "./explain-modal";
import { openHit } from "./open-hit";
import { paneCommands } from "./pane-commands";
import { type PaneDom, buildPane } from "./pane-dom";
import { listenToInput } from "./pane-input";
import { listenToMouse } from "./pane-mouse";
import { type PaneParts } from "./pane-parts";
import { PaneView } from "./pane-view";
import { type RowCommands, type RowHandlers, preview, rowCommands, rowMenu, startDrag } from "./row-commands";
import { vaultNames } from "./vault-names";

export const VIEW_TYPE = "quarry-search";

const AGES_EVERY_MS = 60_000; // the smallest unit of an age
const REST_MS = 2_000; // a query that stays so long was meant
const NEAR_END_PX = 240; // from the end of the list, further hits are asked for: about four rows

export class SearchView extends ItemView {
  override navigation = false;
  override icon = ICON;
  /** Required of a `HoverParent`: the core's page preview stores its pop-over here. */
  hoverPopover: HoverPopover | null = null;
  private readonly cleared = new ClearedQuery();
  private readonly session: SearchSession;
  private model: PaneModel;
  private readonly rowHandlers: RowHandlers;
  private readonly rowCommands: RowCommands;
  private dom: PaneDom | null = null;
  private view: PaneView | null = null;
  private cancelRest: Cancel = () => undefined;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly parts: PaneParts,
  ) {
    super(leaf);
    this.session = parts.createSession();
    this.model = emptyModel(this.session.mode, parts.engine.state, parts.engine.status);
    this.rowHandlers = {
      open: (row, where) => { this.open(row, where); },
      copy: parts.copy,
      explain: (path) => void this.explain(path),
      openNote: (path) => void this.openNote(path, null, false),
    };
    this.rowCommands = rowCommands(this.app, this.rowHandlers);
  }

  getViewType(): string {
    return VIEW_TYPE;
  }

  getDisplayText(): string {
    return t("pane.title");
  }

  override getState(): Record<string, unknown> {
    return { query: this.dom?.input.value ?? "" };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    await super.setState(state, result);
    if (typeof state === "object" && state !== null && "query" in state && typeof state.query === "string") {
      this.setQuery(state.query);
    }
  }

  /** Puts a query into the box that was not typed there; with `isComplete` its last word is never taken for a prefix. */
  setQuery(query: string, isComplete = false): void {
    if (!this.dom || this.dom.input.value === query) return;
    this.dom.input.value = query;
    this.cleared.observe(query);
    this.dom.completions.close();
    this.session.setQuery(query, isComplete);
    this.session.finishTyping();
  }

  get hasQuery(): boolean {
    return this.session.state.kind !== "idle";
  }

  /** Opens a dialog that explains why a note is or is not in the results. */
  async explain(path: string): Promise<void> {
    const reply = await this.session.explain(path);
    if (reply.ok) new ExplainModal(this.app, fileName(path), explainWords(reply.value)).open();
    else new Notice(failureWords(reply.failure));
  }

  focusInput(): void {
    this.dom?.input.focus();
    this.dom?.input.select();
  }

  protected override async onOpen(): Promise<void> {
    await super.onOpen();
    const dom = this.build();
    listenToInput(this, dom, {
      typed: (text) => { this.onInput(text); },
      key: (event) => this.onKey(event),
      left: () => { this.session.finishTyping(); },
    });
    listenToMouse(this, dom.listEl, dom.rows, {
      open: (row, where) => { this.open(row, where); },
      toggle: (path) => { this.unfold(path, !isUnfolded(this.session.furtherOf(path))); },
      touch: () => { if (!this.model.selection.isPinned) this.dispatch({ kind: "touched" }); },
      showMenu: (row, event) => { this.menuFor(row).showAtMouseEvent(event); },
      preview: (row, event) => {
        const el = dom.rows.elementOf(row.key);
        if (el) preview(this.app, event, VIEW_TYPE, this, row, el);
      },
      drag: (row, event) => { startDrag(this.app, event, row); },
    });
    this.listenToSources();
    this.registerInterval(window.setInterval(() => { dom.rows.updateAges(Date.now()); }, AGES_EVERY_MS));
    this.registerDomEvent(dom.bodyEl, "scroll", () => { this.onScroll(dom); });
    this.readPreferences();
    this.readHistory();
    this.onResize();
  }

  override onResize(): void {
    this.view?.measure();
    this.setSearchOptions();
  }

  protected override async onClose(): Promise<void> {
    this.cancelRest();
    this.session.close();
    this.dom?.stale.set(false);
    this.dom = null;
    this.view = null;
    await super.onClose();
  }

  // --- the model ----------------------------------------------------------------------------------

  private dispatch(event: PaneEvent): void {
    this.model = reduce(this.model, event);
    this.view?.show(this.model);
  }

  private readHistory(): void {
    const { history } = this.parts;
    this.dispatch({ kind: "history", recent: history.all(), saved: history.saved() });
  }

  private readPreferences(): void {
    const { mode, naming, density } = this.parts.preferences();
    this.dispatch({ kind: "options", mode, naming, density });
    this.setSearchOptions();
  }

  private setSearchOptions(): void {
    const { mode, limit } = this.parts.preferences();
    this.session.setOptions({ mode, limit, snippetWidth: this.view?.room.asked ?? this.session.snippetWidth });
  }

  private build(): PaneDom {
    const commands = { current: null as CommandMap<ActionId> | null };
    const dom = buildPane(this.contentEl, {
      clock: this.parts.clock,
      toggleSaved: (query) => {
        this.parts.history.toggleSaved(query);
        this.readHistory();
      },
      forget: (query) => {
        this.parts.history.remove(query);
        this.readHistory();
      },
      act: (action) => { commands.current?.[action](); },
      copy: this.parts.copy,
      chooseMode: (mode) => { this.chooseMode(mode); },
      names: () => vaultNames(this.app),
      completed: () => { this.onInput(dom.input.value); },
    });
    const ofPane = paneCommands({
      model: () => this.model,
      dom,
      setQuery: (query, isComplete) => { this.setQuery(query, isComplete); },
      chooseMode: (mode) => { this.chooseMode(mode); },
      clearHistory: () => {
        this.parts.history.clear();
        this.readHistory();
      },
      refresh: () => { this.session.refresh(); },
      changeDensity: () => { this.parts.savePreferences({ density: nextOf(DENSITIES, this.model.density) }); },
      copy: this.parts.copy,
    });
    commands.current = { ...this.parts.engineCommands, ...ofPane };
    this.dom = dom;
    this.view = new PaneView(dom);
    return dom;
  }

  private listenToSources(): void {
    const { engine } = this.parts;
    const readEngine = (): void => { this.dispatch({ kind: "engine", engine: engine.state, status: engine.status }); };
    this.register(engine.changed.listen(({ kind }) => {
      if (kind === "live") this.session.refresh();
      readEngine();
    }));
    this.register(engine.statusChanged.listen(readEngine));
    this.register(this.session.changed.listen((search) => {
      if (search.kind === "idle") this.readHistory();
      this.dispatch({ kind: "search", search });
      this.rememberAtRest(search);
    }));
    this.register(this.session.furtherChanged.listen((path) => { this.onFurther(path); }));
    this.register(this.parts.preferencesChanged.listen(() => {
      this.readPreferences();
      if (this.model.search.kind === "idle") this.readHistory(); // stars may have been synced
    }));
    this.register(this.parts.indexUpdated.listen(() => { this.session.refresh(); }));
  }

  private onFurther(path: string): void {
    const further = this.session.furtherOf(path);
    this.dispatch({ kind: "further", path, further });
    const title = answerOf(this.session.state)?.hits.find((hit) => hit.path === path)?.title ?? path;
    const words = passagesAnnouncement(further, title);
    if (words !== "") this.dom?.live.announceEvent(words);
  }

  /** Remembers a query that was looked at for a while, whether or not a row was opened. */
  private rememberAtRest(search: SearchState): void {
    if (search.kind === "results" && search.isRefresh) return;
    this.cancelRest();
    if (search.kind !== "results" || search.answer.hits.length === 0) return;
    const { query } = search.answer;
    this.cancelRest = this.parts.clock.after(REST_MS, () => { this.parts.history.add(query); });
  }

  private onScroll({ bodyEl }: PaneDom): void {
    const last = this.model.rows.at(-1);
    const isNear = bodyEl.scrollTop + bodyEl.clientHeight > bodyEl.scrollHeight - NEAR_END_PX;
    if (isNear && bodyEl.scrollTop > 0 && last?.kind === "more" && last.what === "hits") this.session.more();
  }

  // --- input --------------------------------------------------------------------------------------

  private onInput(text: string): void {
    this.cleared.observe(text);
    this.session.setQuery(text);
    this.dom?.completions.update();
  }

  /** Handles a key of the search box; true when it was handled. */
  private onKey(event: KeyboardEvent): boolean {
    const key = paneKey(event);
    const row = selectedRow(this.model);
    switch (key?.kind) {
      case undefined:
        return false;
      case "move":
        this.move(key.step);
        return true;
      case "expand":
        if (isPlace(row)) this.unfold(row.hit.path, key.isExpanded);
        return true;
      case "open":
        if (row) this.open(row, Keymap.isModEvent(event));
        else this.session.finishTyping();
        return true;
      case "escape":
        this.onEscape();
        return true;
      case "menu":
        return this.openMenuAt(row);
      case "undo":
        return this.restoreQuery();
    }
  }

  /** Brings back a query that was cleared; false when there is none. */
  private restoreQuery(): boolean {
    const query = this.cleared.restorable;
    if (query !== null) this.setQuery(query, true);
    return query !== null;
  }

  private move(step: number): void {
    this.dispatch({ kind: "moved", step });
    this.session.freezeRows();
    const row = selectedRow(this.model);
    if (row?.kind === "more" && row.what === "hits") this.session.more();
  }

  /** Returns the focus to the note. The query stays: the cross in the box clears it. */
  private onEscape(): void {
    const note = this.app.workspace.getMostRecentLeaf();
    if (note) this.app.workspace.setActiveLeaf(note, { focus: true });
  }

  private chooseMode(mode: Mode): void {
    this.parts.savePreferences({ mode });
    this.dom?.input.focus();
  }

  // --- rows ---------------------------------------------------------------------------------------

  private open(row: Row, where: PaneType | boolean): void {
    if (row.kind === "recent") {
      this.setQuery(row.query, true);
      this.dom?.input.focus();
    } else if (row.kind === "more") {
      if (row.what === "weak") this.dispatch({ kind: "weak-wanted" });
      else this.session.more();
    } else if (isPlace(row)) this.openPlace(row, where);
  }

  private openPlace(row: PlaceRow, where: PaneType | boolean): void {
    this.dispatch({ kind: "selected", key: row.key });
    this.session.freezeRows();
    this.parts.history.add(this.dom?.input.value ?? "");
    this.session.reportOpened(row.hit.path);
    void this.openNote(row.hit.path, row.passage, where);
  }

  private async openNote(path: string, passage: Passage | null, where: PaneType | boolean): Promise<void> {
    if (!(await openHit(this.app, path, passage, where))) new Notice(t("notice.noteGone"));
  }

  private unfold(path: string, isUnfolded: boolean): void {
    const row = this.model.rows.find(({ key }) => key === path);
    if (row?.kind !== "hit" || row.hit.furtherPassages === 0) return;
    if (isUnfolded) {
      this.session.freezeRows();
      this.session.unfold(path);
    } else {
      this.session.fold(path);
    }
  }

  private menuFor(row: PlaceRow): ReturnType<typeof rowMenu> {
    return rowMenu(this.app, row, this.rowCommands, VIEW_TYPE, this.leaf, this.rowHandlers);
  }

  private openMenuAt(row: Row | null): boolean {
    const el = row && this.dom?.rows.elementOf(row.key);
    if (!isPlace(row) || !el) return false;
    const { left, bottom } = el.getBoundingClientRect();
    this.menuFor(row).showAtPosition({ x: left, y: bottom }, el.doc);
    return true;
  }
}

function isUnfolded({ kind }: FurtherPassages): boolean {
  return kind === "loading" || kind === "unfolded";
}

function nextOf<T>(values: readonly T[], value: T): T {
  return values[(values.indexOf(value) + 1) % values.length] ?? value;
}
