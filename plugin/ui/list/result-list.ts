/**
 * A list of results as a component: rows of a source, with selection, keys, mouse, menu, further passages and commands.
 *
 * The pane, a dialog, a block in a note and a view of their own show the same list; each draws what is around it.
 */
import { type App, Component, type HoverParent, type HoverPopover, Keymap, type Menu, type WorkspaceLeaf } from "obsidian";
import { type Clock } from "../../clock";
import { type CommandMap, type EngineActionId, type RowCommandId } from "../../pane/commands";
import { type Emitter } from "../../emitter";
import { type PaneKey } from "../../pane/keys";
import { emptyModel, type PaneEvent, type PaneModel, reduce, selectedRow, targetRows } from "../../pane/model";
import { type Naming } from "../../pane/note-name";
import { isPlace, isQuery, type PlaceRow, type QueryRow, type Row } from "../../pane/rows";
import { type ObservableEngine } from "../../pane/state";
import { type Mode } from "../../protocol/messages";
import { answerOf, type ResultSource } from "../../search/answer";
import { type FurtherPassages } from "../../search/passage-loader";
import { type Requester } from "../../sidecar/client";
import { type Density } from "../../snippet/excerpt";
import { passagesAnnouncement } from "../../i18n/rows";
import { t } from "../../i18n/translate";
import { chosenWords } from "../../i18n/actions";
import { createNote, offeredNote } from "./new-note";
import { type LastEditor } from "./insert";
import { listenToKeys, listenToMouse, showPage, startDrag } from "./list-input";
import { keyDialog } from "../dialogs/modals";
import { type ListView } from "./list-view";
import { Peek } from "./peek";
import { type RecentHandlers } from "./row-views";
import { openRelated } from "./related-notes";
import { commandsFor, linkSource, type OpenWhere, queryMenu, rowActions, type RowCommands, rowCommands, type RowHandlers, rowMenu } from "./row-actions";
import { isNode } from "./row-list";
import { showMenuBelow } from "./elements";

const AGES_EVERY_MS = 60_000; // the smallest unit of an age
const NEAR_END_PX = 240; // from the end of the list, further hits are asked for: about four rows

/** What a place draws around its list. */
export interface Surroundings {
  show(model: PaneModel): void;
  /** The rows of the model that was shown are drawn too. */
  rowsShown?(): void;
}

/** What every list depends on, wherever it is shown. */
export interface ListServices {
  readonly clock: Clock;
  readonly engine: ObservableEngine;
  /** The index changed, so that answers may differ. */
  readonly indexUpdated: Emitter<void>;
  readonly preferences: () => { readonly mode: Mode; readonly naming: Naming; readonly density: Density };
  /** Into the clipboard of `win`, where that is given. */
  readonly copy: (text: string, win?: Window) => void;
  readonly lastEditor: Pick<LastEditor, "view">;
}

/** What every place with a list depends on, beside the list. */
export interface PlaceServices extends ListServices {
  readonly client: Requester;
  /** What concerns the engine or the settings rather than the place. */
  readonly engineCommands: CommandMap<EngineActionId>;
}

export interface ListParts extends ListServices {
  readonly app: App;
  readonly source: ResultSource;
  readonly around: Surroundings;
  /** Names the place, for menus and for what is dragged. */
  readonly place: string;
  /** The leaf whose menu it is; null in a dialog. */
  readonly leaf: WorkspaceLeaf | null;
  /** Explains why a note is in the list, where the source can. */
  readonly explain: ((path: string) => void) | null;
  /** A place in a note is about to be opened. */
  readonly opening?: (row: PlaceRow) => void;
  /** A note can be created that is called as the query. */
  readonly offersNote?: boolean;
  /** A query of the list was chosen. */
  readonly chooseQuery?: (row: QueryRow) => void;
  /** What can be done with the queries of the list. */
  readonly queries?: RecentHandlers;
}

export class ResultList extends Component implements HoverParent {
  model: PaneModel;
  hoverPopover: HoverPopover | null = null;
  readonly peek: Peek;
  readonly #actions: RowHandlers;
  readonly #commands: RowCommands;
  #isInSight = true;
  #refreshIsDue = false;
  /** A row was chosen since the query was entered, so that Enter means that one. */
  #isAmongRows = false;
  /** The query whose first row is to be opened once it is answered, and where. */
  #awaited: { readonly query: string; readonly where: OpenWhere } | null = null;

  constructor(
    readonly view: ListView,
    private readonly parts: ListParts,
  ) {
    super();
    const { app, copy, explain, engine, preferences, lastEditor, source } = parts;
    this.model = emptyModel(preferences().mode, engine.state, engine.status);
    this.peek = this.addChild(new Peek(app, parts.clock, view.el));
    this.#actions = rowActions({
      app,
      lastEditor,
      copy,
      win: () => view.el.win,
      look: (row) => { this.peek.open(row); },
      opening: (row) => {
        this.peek.close();
        source.freezeRows?.();
        parts.opening?.(row);
      },
      report: (path, kind) => { source.report?.(path, kind); },
      setDismissed: (path, isDismissed) => { this.dispatch({ kind: "dismissed", path, isDismissed }); },
      explain: () => (source.state.kind === "idle" ? null : explain), // rows of an empty box answer no query
      setContext: () => (source.widePassage && source.state.kind !== "idle" ? (row, isShown) => void this.#setContext(row, isShown) : null),
    });
    this.#commands = rowCommands(app, this.#actions);
  }

  override onload(): void {
    const { view, parts } = this;
    const { source, engine, indexUpdated } = parts;
    listenToMouse(this, view.listEl, view.rows, {
      open: (row, where) => { this.#open(row, where); },
      toggle: (path) => { this.#unfold(path, !isUnfolded(source.passages.stateOf(path))); },
      choose: (row, isRange) => { this.#choose({ kind: isRange ? "ranged" : "toggled", key: row.key }); },
      restore: (path) => { this.#restore(path); },
      touch: () => { if (!this.model.selection.isPinned) this.dispatch({ kind: "touched" }); },
      showMenu: (row, event) => this.#menuFor(row)?.showAtMouseEvent(event) !== undefined,
      hover: (row, event) => {
        if (showPage(parts.app, this, row, event, view.rows.elementOf(row.key)) || !Keymap.isModifier(event, "Mod")) return;
        this.dispatch({ kind: "selected", key: row.key });
        this.peek.hover(row);
      },
      leave: () => { this.peek.leave(); },
      drag: (row, event) => { startDrag(parts.app, event, this.#withChosen(row), linkSource(parts.app, parts.lastEditor), parts.place); },
    });
    const readEngine = (): void => { this.dispatch({ kind: "engine", engine: engine.state, status: engine.status }); };
    this.register(engine.changed.listen(({ kind }) => {
      if (kind === "live") this.#refresh();
      readEngine();
    }));
    this.register(indexUpdated.listen(() => { this.#refresh(); }));
    this.register(engine.statusChanged.listen(readEngine));
    this.register(source.changed.listen((search) => {
      if (search.kind === "searching" && search.query !== this.#awaited?.query) {
        this.#awaited = null;
        this.#isAmongRows = false;
      }
      const isFirstIndex = parts.engine.status?.indexedMs === null; // the note may be there
      const newNote = parts.offersNote && !isFirstIndex && search.kind === "results" ? offeredNote(parts.app, search.answer) : null;
      this.dispatch({ kind: "search", search, newNote });
      if (search.kind !== "searching") this.#openAwaited(search.kind === "results");
    }));
    this.register(source.passages.changed.listen((path) => { this.#onFurther(path); }));
    this.registerInterval(window.setInterval(() => { if (this.#isInSight) view.rows.updateAges(Date.now()); }, AGES_EVERY_MS));
    if (!view.input) listenToKeys(this, parts.app, view.listEl, (key, event) => this.handleKey(key, event));
    this.registerDomEvent(view.bodyEl, "scroll", () => { this.#onScroll(); });
    this.registerDomEvent(view.el, "focusout", ({ relatedTarget }) => { if (!(isNode(relatedTarget) && view.el.contains(relatedTarget)) && !this.peek.holds(relatedTarget)) this.peek.close(); });
  }

  override onunload(): void {
    this.view.setStale(false);
  }

  dispatch(event: PaneEvent): void {
    this.model = reduce(this.model, event);
    if (this.#isInSight) this.#draw();
  }

  /** Out of sight, the list asks for nothing and draws nothing; in sight again, it catches up with what happened. */
  setInSight(isInSight: boolean): void {
    if (isInSight === this.#isInSight) return;
    this.#isInSight = isInSight;
    if (!isInSight) {
      this.peek.close();
      return;
    }
    this.view.measure(); // its place may have another width by now
    this.#draw();
    if (this.#refreshIsDue) this.#refresh();
  }

  #draw(): void {
    this.parts.around.show(this.model);
    this.view.show(this.model);
    this.parts.around.rowsShown?.();
    this.peek.follow(selectedRow(this.model));
  }

  #refresh(): void {
    this.#refreshIsDue = !this.#isInSight;
    if (this.#isInSight) this.parts.source.refresh();
  }

  readPreferences(): void {
    const { mode, naming, density } = this.parts.preferences();
    this.dispatch({ kind: "options", mode, naming, density });
  }

  /** Another query was entered: its rows begin at the top, and nothing is peeked at. */
  restart(): void {
    this.peek.close();
    this.view.scrollTo(0);
  }

  /** Handles a key that concerns the rows; false when it has nothing to do with them. */
  handleKey(key: PaneKey, event: KeyboardEvent | null): boolean {
    const row = selectedRow(this.model);
    switch (key.kind) {
      case "move":
        this.#move(key.step);
        return true;
      case "expand":
        return isPlace(row) && this.#unfold(row.hit.path, key.isExpanded);
      case "extend":
        this.#choose({ kind: "extended", step: key.step });
        return true;
      case "open":
        if (this.#awaits(Keymap.isModEvent(event))) return true;
        if (this.model.selection.chosen.size > 1) this.#commands["open-tab"].run(targetRows(this.model));
        else if (row) this.#open(row, Keymap.isModEvent(event));
        return row !== null;
      case "peek":
        return this.#togglePeek(row);
      case "command":
        return this.#runCommand(key.command, event);
      case "create":
        return this.#create();
      case "menu":
        return this.#openMenuAt(row);
      case "keys":
        keyDialog(this.parts.app).open();
        return true;
      case "escape":
        return this.peek.close() || this.#unchoose();
      case "suggestions": // Tab, which leads on to what is shown
        return this.peek.focus();
      case "undo":
      case "history":
      case "save":
      case "mode":
        return false;
    }
  }

  async #setContext({ key, hit, passage }: PlaceRow, isShown: boolean): Promise<void> {
    const { source } = this.parts;
    source.freezeRows?.();
    const context = isShown && passage && source.widePassage ? await source.widePassage(hit.path, passage.start) : null;
    if (!isShown || context) this.dispatch({ kind: "context", key, context });
  }

  #restore(path: string): void {
    const row = this.model.rows.find(({ key }) => key === path);
    if (row?.kind === "hit") this.#actions.dismiss([row], false);
  }

  /** Runs a command for the chosen rows; false where it makes no sense for them. */
  #runCommand(id: RowCommandId, event: KeyboardEvent | null): boolean {
    const rows = targetRows(this.model);
    const row = selectedRow(this.model);
    if (id.startsWith("open") && this.#awaits(id === "open-background" ? "background" : Keymap.isModEvent(event))) return true;
    if (rows.length === 0 && row && id.startsWith("open")) {
      this.#open(row, Keymap.isModEvent(event)); // a row that is no place, such as a recent query
      return true;
    }
    if (!commandsFor(this.#commands, rows).includes(id)) return false;
    this.#commands[id].run(rows);
    return true;
  }

  /** Whether the rows answer an earlier query than the one that was entered; the first row of its answer is opened then. */
  #awaits(where: OpenWhere): boolean {
    const { state } = this.parts.source;
    if (state.kind !== "searching" || this.#isAmongRows) return false;
    this.#awaited = { query: state.query, where };
    return true;
  }

  #openAwaited(isAnswered: boolean): void {
    const awaited = this.#awaited;
    this.#awaited = null;
    const row = selectedRow(this.model);
    if (awaited && isAnswered && row) this.#open(row, awaited.where);
  }

  /** False where the row is no place in a note. */
  #togglePeek(row: Row | null): boolean {
    if (this.peek.close()) return true;
    if (!isPlace(row)) return false;
    this.peek.open(row);
    this.view.live.announceEvent(t("peek.title"));
    return true;
  }

  #choose(event: Extract<PaneEvent, { kind: "extended" | "ranged" | "toggled" }>): void {
    this.#isAmongRows = true;
    this.dispatch(event);
    this.parts.source.freezeRows?.();
    this.view.live.announceEvent(chosenWords(this.model.selection.chosen.size));
  }

  /** False when no rows were chosen. */
  #unchoose(): boolean {
    const isChosen = this.model.selection.chosen.size > 0;
    if (isChosen) this.dispatch({ kind: "unchosen" });
    return isChosen;
  }

  #create(): boolean {
    const { newNote } = this.model;
    if (newNote === null) return false;
    void createNote(this.parts.app, newNote);
    return true;
  }

  /** The chosen rows, if `row` is one of them, else `row` alone. */
  #withChosen(row: PlaceRow): readonly PlaceRow[] {
    return this.model.selection.chosen.has(row.key) ? targetRows(this.model) : [row];
  }

  #move(step: number): void {
    this.#isAmongRows = true;
    this.dispatch({ kind: "moved", step });
    this.parts.source.freezeRows?.();
    const row = selectedRow(this.model);
    if (row?.kind === "more" && row.what === "hits") this.parts.source.more?.();
  }

  #onFurther(path: string): void {
    const { source } = this.parts;
    const further = source.passages.stateOf(path);
    this.dispatch({ kind: "further", path, further });
    const title = answerOf(source.state)?.hits.find((hit) => hit.path === path)?.title ?? path;
    const words = passagesAnnouncement(further, title);
    if (words !== "") this.view.live.announceEvent(words);
  }

  #onScroll(): void {
    const { bodyEl } = this.view;
    const hasMore = this.model.rows.some((row) => row.kind === "more" && row.what === "hits");
    const isNear = bodyEl.scrollTop + bodyEl.clientHeight > bodyEl.scrollHeight - NEAR_END_PX;
    if (isNear && bodyEl.scrollTop > 0 && hasMore) this.parts.source.more?.();
  }

  #open(row: Row, where: OpenWhere): void {
    if (row.kind === "create") this.#create();
    else if (isQuery(row)) this.parts.chooseQuery?.(row);
    else if (row.kind === "more") {
      if (row.what === "rest") this.dispatch({ kind: "rest-wanted" });
      else if (row.what === "related") openRelated(this.parts.app);
      else this.parts.source.more?.();
    } else if (isPlace(row)) {
      this.dispatch({ kind: "selected", key: row.key });
      this.#actions.open([row], where);
    }
  }

  /** False where nothing changes, so that the key can mean something else. */
  #unfold(path: string, isToUnfold: boolean): boolean {
    const { source } = this.parts;
    const row = this.model.rows.find(({ key }) => key === path);
    if (row?.kind !== "hit" || row.hit.furtherPassages === 0 || (isToUnfold ? isUnfolded(source.passages.stateOf(path)) : source.passages.stateOf(path).kind === "folded")) return false;
    if (isToUnfold) {
      source.freezeRows?.();
      source.passages.unfold(path);
    } else {
      source.passages.fold(path);
    }
    return true;
  }

  #menuFor(row: Row): Menu | null {
    const { app, place, leaf, queries } = this.parts;
    if (isQuery(row)) return queries ? queryMenu(row, queries) : null;
    if (!isPlace(row)) return null;
    return rowMenu(app, this.#withChosen(row), this.#commands, place, leaf, this.#actions);
  }

  #openMenuAt(row: Row | null): boolean {
    const el = row && this.view.rows.elementOf(row.key);
    const menu = row && this.#menuFor(row);
    if (!menu || !el) return false;
    showMenuBelow(menu, el);
    return true;
  }
}

function isUnfolded({ kind }: FurtherPassages): boolean {
  return kind === "loading" || kind === "unfolded";
}
