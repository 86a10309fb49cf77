/** The search pane: binds a search session and the engine's state to an input, a list and the keyboard. */
import { type HoverPopover, ItemView, Keymap, Notice, type PaneType, type ViewStateResult, type WorkspaceLeaf } from "obsidian";
import { type Clock } from "../clock";
import { type Mode, type Passage } from "../protocol/messages";
import { type Answer, type SearchOptions, type SearchSession, type SearchState, answerOf } from "../search/session";
import { quotedAsTyped } from "../search/spelling";
import { type Emitter } from "../emitter";
import { countWords, explainWords, understoodWords } from "./answer-words";
import { ExplainModal } from "./explain-modal";
import { hitMenu, preview, startDrag } from "./hit-actions";
import { type HitOption } from "./hit-row";
import { keepInPlace } from "./hit-list";
import { openHit } from "./open-hit";
import { type Entry, type PaneDom, buildPane } from "./pane-dom";
import { paneKey } from "./pane-keys";
import { listenToMouse } from "./pane-mouse";
import { type ObservableEngine, type PaneState, degradation, freshness, paneState } from "./pane-state";
import { vaultNames } from "./vault-names";
import { type ActionId, TEXT, announcement, degradationWords, failureWords, panelWords, passagesAnnouncement } from "./wording";

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
  /** Runs an action that concerns the engine or the settings rather than this pane. */
  readonly act: (action: ActionId) => void;
}

export class SearchView extends ItemView {
  override navigation = false;
  override icon = "search";
  /** Required of a `HoverParent`: the core's page preview stores its pop-over here. */
  hoverPopover: HoverPopover | null = null;
  private readonly session: SearchSession;
  private dom: PaneDom | null = null;
  private isComposing = false;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly parts: PaneParts,
  ) {
    super(leaf);
    this.session = parts.createSession();
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
    const dom = buildPane(this.contentEl, {
      clock: this.parts.clock,
      act: (action) => { this.act(action); },
      copy: this.parts.copy,
      chooseMode: (mode) => { this.chooseMode(mode); },
      names: () => vaultNames(this.app),
      completed: () => { this.onInput(); },
    });
    this.dom = dom;
    this.listenToInput(dom);
    listenToMouse(this, dom, {
      open: (entry, where) => { this.openEntry(entry, where); },
      expand: (path, isExpanded) => { this.expand(path, isExpanded); },
      showMenu: (option, event) => { this.menuFor(option).showAtMouseEvent(event); },
      preview: (option, event) => { preview(this.app, event, VIEW_TYPE, this, option); },
      drag: (option, event) => { startDrag(this.app, event, option); },
    });
    const render = (): void => {
      this.render(false);
    };
    this.register(this.session.changed.listen((state) => { this.onSearch(state); }));
    this.register(this.session.passages.changed.listen((path) => { this.onPassages(path); }));
    this.register(this.parts.engine.changed.listen(({ kind }) => {
      if (kind === "live") this.session.refresh();
      render();
    }));
    this.register(this.parts.engine.statusChanged.listen(render));
    this.register(this.parts.searchOptionsChanged.listen(() => {
      this.session.setOptions(this.parts.searchOptions());
      render();
    }));
    this.register(this.parts.indexUpdated.listen(() => { this.session.refresh(); }));
    this.registerInterval(window.setInterval(() => { dom.hits.updateAges(Date.now()); }, AGES_EVERY_MS));
    render();
  }

  protected override async onClose(): Promise<void> {
    this.session.close();
    this.dom?.stale.set(false);
    this.dom = null;
    await super.onClose();
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
    const entry = this.dom?.entries.selected ?? null;
    switch (key?.kind) {
      case undefined:
        return false;
      case "move":
        this.dom?.entries.move(key.step);
        this.session.freezeRows();
        return true;
      case "expand":
        if (entry && "hit" in entry) this.expand(entry.hit.path, key.isExpanded);
        return true;
      case "open":
        if (entry) this.openEntry(entry, Keymap.isModEvent(event));
        else this.session.finishTyping();
        return true;
      case "escape":
        this.onEscape();
        return true;
      case "menu":
        return this.openMenuAt(entry);
    }
  }

  private openEntry(entry: Entry, where: PaneType | boolean): void {
    if ("query" in entry) {
      this.setQuery(entry.query);
      this.dom?.input.focus();
      return;
    }
    this.dom?.entries.selectKey(entry.key);
    this.session.freezeRows();
    this.parts.history.add(this.dom?.input.value ?? "");
    this.session.reportOpened(entry.hit.path);
    void this.openNote(entry.hit.path, entry.passage, where);
  }

  private async openNote(path: string, passage: Passage | null, where: PaneType | boolean): Promise<void> {
    if (!(await openHit(this.app, path, passage, where))) new Notice(TEXT.notices.noteGone);
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

  private expand(path: string, isExpanded: boolean): void {
    if (!this.dom?.hits.hasFurther(path)) return;
    if (isExpanded) {
      this.session.freezeRows();
      this.session.unfold(path);
    } else {
      this.dom.entries.selectKey(path); // the selected passage may be about to disappear
      this.session.passages.fold(path);
    }
  }

  private menuFor(option: HitOption): ReturnType<typeof hitMenu> {
    return hitMenu(this.app, option, VIEW_TYPE, this.leaf, {
      open: (chosen, where) => { this.openEntry(chosen, where); },
      copy: this.parts.copy,
      explain: (path) => void this.explain(path),
      openNote: (path) => void this.openNote(path, null, false),
    });
  }

  private openMenuAt(entry: Entry | null): boolean {
    if (!entry || !("hit" in entry)) return false;
    const { left, bottom } = entry.el.getBoundingClientRect();
    this.menuFor(entry).showAtPosition({ x: left, y: bottom }, entry.el.doc);
    return true;
  }

  private chooseMode(mode: Mode): void {
    this.parts.saveMode(mode);
    this.dom?.input.focus();
  }

  private act(action: ActionId): void {
    const { dom } = this;
    switch (action) {
      case "clear-query":
        this.setQuery("");
        dom?.input.focus();
        return;
      case "clear-history":
        this.parts.history.clear();
        this.render(false);
        return;
      case "search-both":
        this.chooseMode("hybrid");
        return;
      case "search-typed":
        this.searchAsTyped();
        return;
      case "show-operators":
        dom?.input.focus();
        dom?.completions.openAll();
        return;
      case "search-again":
        this.session.refresh();
        return;
      case "go-to-error":
        this.goToError();
        return;
      case "check-again":
      case "copy-command":
      case "copy-report":
      case "open-settings":
      case "pause":
      case "restart":
      case "resume":
        this.parts.act(action);
    }
  }

  private searchAsTyped(): void {
    const answer = answerOf(this.session.state);
    const query = answer && quotedAsTyped(answer.query, answer.corrections);
    if (query !== null) this.setQuery(query, true);
    this.dom?.input.focus();
  }

  private goToError(): void {
    const { state } = this.session;
    if (!this.dom || state.kind !== "failed" || state.failure.kind !== "bad-query") return;
    const { input } = this.dom;
    const indent = input.value.length - input.value.trimStart().length; // the session trims the query
    const at = indent + (state.failure.position ?? 0);
    input.focus();
    const isPair = (input.value.codePointAt(at) ?? 0) > 0xffff; // a surrogate pair is selected as a whole
    input.setSelectionRange(at, Math.min(at + (isPair ? 2 : 1), input.value.length));
  }

  // --- rendering ----------------------------------------------------------------------------------

  private onSearch(state: SearchState): void {
    this.render(state.kind === "results" && !state.isRefresh);
  }

  private onPassages(path: string): void {
    const { dom, session } = this;
    if (!dom) return;
    const state = session.passages.stateOf(path);
    const { hits, entries, listEl } = dom;
    const pointed = listEl.querySelector(".quarry-option:hover, .quarry-more:hover");
    keepInPlace(listEl, pointed ?? entries.selected?.el ?? null, () => { hits.showFurther(path, state); });
    if (answerOf(session.state)) entries.setOptions(hits.options, true);
    dom.completions.restoreAria();
    const title = answerOf(session.state)?.hits.find((hit) => hit.path === path)?.title ?? path;
    const words = passagesAnnouncement(state, title);
    if (words !== "") dom.live.announceEvent(words);
  }

  private render(isNewAnswer: boolean): void {
    const { dom } = this;
    if (!dom) return;
    const { engine } = this.parts;
    const search = this.session.state;
    const history = search.kind === "idle" ? this.parts.history.all() : [];
    const state = paneState(engine.state, engine.status, search, history.length > 0);
    const answer = answerOf(search);

    dom.modes.show(this.session.mode);
    dom.panel.show(panelWords(state));
    dom.status.show(freshness(engine.state, engine.status));
    showCount(dom.countEl, answer);
    dom.adjustments.show(answer);
    const missing = engine.state.kind === "live" ? degradation(engine.status, search) : null;
    showText(dom.degradationEl, missing ? degradationWords(missing) : "");
    this.renderList(dom, answer, history, isNewAnswer);
    dom.el.dataset["state"] = state.kind;
    dom.stale.set(isStale(state));
    if (state.kind !== "searching") dom.live.announceState(announcement(state));
  }

  private renderList({ hits, recents, entries, completions, listEl }: PaneDom, answer: Answer | null, history: readonly string[], isNewAnswer: boolean): void {
    hits.show(answer?.hits ?? [], (path) => this.session.passages.stateOf(path), Date.now());
    recents.show(history);
    const options: readonly Entry[] = answer ? hits.options : recents.options;
    // A refresh keeps the selection on its note. A new query resets it: in semantic search nearly every note is a hit again,
    // possibly far below, and Enter would open that one.
    entries.setOptions(options, !isNewAnswer);
    completions.restoreAria();
    listEl.setAttr("aria-label", answer ? TEXT.listLabel : TEXT.recentLabel);
    if (isNewAnswer && entries.selected === options[0]) listEl.scrollTop = 0;
  }
}

/** Whether the rows answer an earlier query, or come from an engine that is gone. */
function isStale({ kind }: PaneState): boolean {
  return kind !== "results" && kind !== "empty";
}

/** Shows the count, with the query as understood for its tooltip and accessible description. */
function showCount(el: HTMLElement, answer: Answer | null): void {
  const isFound = answer !== null && answer.hits.length > 0;
  showText(el, isFound ? countWords(answer) : "");
  const understood = isFound ? understoodWords(answer.understood) : "";
  el.title = understood;
  el.setAttr("aria-description", understood === "" ? null : understood);
}

function showText(el: HTMLElement, text: string): void {
  if (el.textContent !== text) el.setText(text);
  el.toggleClass("is-hidden", text === "");
}
