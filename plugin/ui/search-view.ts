/** The search pane as Obsidian's view: events of the session, the engine and the user become events of the model. */
import { type HoverPopover, ItemView, Keymap, Notice, type PaneType, type ViewStateResult, type WorkspaceLeaf } from "obsidian";
import { type Clock } from "../clock";
import { type Emitter } from "../emitter";
import { type ActionId, type CommandMap, type EngineActionId } from "../pane/commands";
import { paneKey } from "../pane/keys";
import { type PaneEvent, type PaneModel, emptyModel, reduce, selectedRow } from "../pane/model";
import { type PlaceRow, type Row, isPlace } from "../pane/rows";
import { type ObservableEngine } from "../pane/state";
import { type Mode, type Passage } from "../protocol/messages";
import { type SearchOptions, type SearchSession, answerOf } from "../search/session";
import { explainWords } from "../wording/explanation";
import { failureWords } from "../wording/failures";
import { TEXT } from "../wording/names";
import { passagesAnnouncement } from "../wording/rows";
import { ExplainModal } from "./explain-modal";
import { openHit } from "./open-hit";
import { paneCommands } from "./pane-commands";
import { type PaneDom, buildPane } from "./pane-dom";
import { listenToMouse } from "./pane-mouse";
import { PaneView } from "./pane-view";
import { type RowCommands, type RowHandlers, preview, rowCommands, rowMenu, startDrag } from "./row-commands";
import { vaultNames } from "./vault-names";

export const VIEW_TYPE = "quarry-search";

const AGES_EVERY_MS = 60_000; // the smallest unit of an age

export interface History {
  all(): readonly string[];
  add(query: string): void;
  clear(): void;
}

/** Everything the pane depends on. */
export interface PaneParts {
  readonly createSession: () => SearchSession;
  readonly clock: Clock;
  readonly engine: ObservableEngine;
  readonly indexUpdated: Emitter<void>;
  readonly history: History;
  readonly searchOptions: () => SearchOptions;
  readonly searchOptionsChanged: Emitter<void>;
  readonly saveMode: (mode: Mode) => void;
  readonly copy: (text: string) => void;
  /** What concerns the engine or the settings rather than this pane. */
  readonly engineCommands: CommandMap<EngineActionId>;
}

export class SearchView extends ItemView {
  override navigation = false;
  override icon = "search";
  /** Required of a `HoverParent`: the core's page preview stores its pop-over here. */
  hoverPopover: HoverPopover | null = null;
  private readonly session: SearchSession;
  private model: PaneModel;
  private readonly rowHandlers: RowHandlers;
  private readonly rowCommands: RowCommands;
  private dom: PaneDom | null = null;
  private view: PaneView | null = null;
  private isComposing = false;

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
    return TEXT.viewTitle;
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
    if (reply.ok) new ExplainModal(this.app, path, explainWords(reply.value)).open();
    else new Notice(failureWords(reply.failure));
  }

  focusInput(): void {
    this.dom?.input.focus();
    this.dom?.input.select();
  }

  protected override async onOpen(): Promise<void> {
    await super.onOpen();
    const dom = this.build();
    this.listenToInput(dom);
    listenToMouse(this, dom.listEl, dom.rows, {
      open: (row, where) => { this.open(row, where); },
      toggle: (path) => { this.unfold(path, this.session.furtherOf(path).kind === "folded" || this.session.furtherOf(path).kind === "failed"); },
      showMenu: (row, event) => { this.menuFor(row).showAtMouseEvent(event); },
      preview: (row, event) => {
        const el = dom.rows.elementOf(row.key);
        if (el) preview(this.app, event, VIEW_TYPE, this, row, el);
      },
      drag: (row, event) => { startDrag(this.app, event, row); },
    });
    this.listenToSources();
    this.registerInterval(window.setInterval(() => { dom.rows.updateAges(Date.now()); }, AGES_EVERY_MS));
    this.dispatch({ kind: "history", queries: this.parts.history.all() });
  }

  protected override async onClose(): Promise<void> {
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

  private build(): PaneDom {
    const commands = { current: null as CommandMap<ActionId> | null };
    const dom = buildPane(this.contentEl, {
      clock: this.parts.clock,
      act: (action) => { commands.current?.[action](); },
      copy: this.parts.copy,
      chooseMode: (mode) => { this.chooseMode(mode); },
      names: () => vaultNames(this.app),
      completed: () => { this.onInput(); },
    });
    const ofPane = paneCommands({
      model: () => this.model,
      dom,
      setQuery: (query, isComplete) => { this.setQuery(query, isComplete); },
      chooseMode: (mode) => { this.chooseMode(mode); },
      clearHistory: () => {
        this.parts.history.clear();
        this.dispatch({ kind: "history", queries: [] });
      },
      refresh: () => { this.session.refresh(); },
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
      if (search.kind === "idle") this.dispatch({ kind: "history", queries: this.parts.history.all() });
      this.dispatch({ kind: "search", search });
    }));
    this.register(this.session.furtherChanged.listen((path) => { this.onFurther(path); }));
    this.register(this.parts.searchOptionsChanged.listen(() => {
      this.session.setOptions(this.parts.searchOptions());
      this.dispatch({ kind: "mode", mode: this.session.mode });
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

  // --- input --------------------------------------------------------------------------------------

  private listenToInput({ search, input, completions }: PaneDom): void {
    search.onChange(() => { this.onInput(); }); // typing, and the button that clears
    this.registerDomEvent(input, "input", () => { this.onInput(); });
    // While an input method composes, the box holds its spelling rather than words.
    this.registerDomEvent(input, "compositionstart", () => { this.isComposing = true; });
    this.registerDomEvent(input, "compositionend", () => {
      this.isComposing = false;
      this.onInput();
    });
    this.registerDomEvent(input, "keydown", (event) => {
      if (completions.handleKey(event) || this.onKey(event)) event.preventDefault();
    });
    this.registerDomEvent(input, "click", () => { completions.close(); }); // the caret moves away
    this.registerDomEvent(input, "blur", () => {
      completions.close();
      this.session.finishTyping();
    });
  }

  private onInput(): void {
    if (!this.dom || this.isComposing) return;
    this.session.setQuery(this.dom.input.value);
    this.dom.completions.update();
  }

  /** Handles a key of the search box; true when it was handled. */
  private onKey(event: KeyboardEvent): boolean {
    const key = paneKey(event);
    const row = selectedRow(this.model);
    switch (key?.kind) {
      case undefined:
        return false;
      case "move":
        this.dispatch({ kind: "moved", step: key.step });
        this.session.freezeRows();
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
    }
  }

  /** Empties the box; when it is empty already, returns the focus to the note. */
  private onEscape(): void {
    if (this.dom && this.dom.input.value !== "") {
      this.setQuery("");
      return;
    }
    const note = this.app.workspace.getMostRecentLeaf();
    if (note) this.app.workspace.setActiveLeaf(note, { focus: true });
  }

  private chooseMode(mode: Mode): void {
    this.parts.saveMode(mode);
    this.dom?.input.focus();
  }

  // --- rows ---------------------------------------------------------------------------------------

  private open(row: Row, where: PaneType | boolean): void {
    if (!isPlace(row)) {
      this.setQuery(row.query);
      this.dom?.input.focus();
      return;
    }
    this.dispatch({ kind: "selected", key: row.key });
    this.session.freezeRows();
    this.parts.history.add(this.dom?.input.value ?? "");
    this.session.reportOpened(row.hit.path);
    void this.openNote(row.hit.path, row.passage, where);
  }

  private async openNote(path: string, passage: Passage | null, where: PaneType | boolean): Promise<void> {
    if (!(await openHit(this.app, path, passage, where))) new Notice(TEXT.notices.noteGone);
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
