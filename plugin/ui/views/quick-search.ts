/** The search as a dialog over the note: the same list and keys, with the selected passage at the side where there is room. */
import { type App, Component, Modal, Platform } from "obsidian";
import { type Cancel } from "../../clock";
import { movesCaret, paneKey } from "../../pane/keys";
import { type PaneModel, selectedRow, stateOf } from "../../pane/model";
import { isPlace } from "../../pane/rows";
import { kindOf } from "../../document-kind";
import { BLANK_HIT, BLANK_RESULT } from "../../protocol/blank";
import { type Answer } from "../../search/answer";
import { type SearchSession } from "../../search/session";
import { combinationWords } from "../../i18n/actions";
import { announcement, shownPanel } from "../../i18n/panels";
import { t } from "../../i18n/translate";
import { ListView, scrollable } from "../list/list-view";
import { isAtEnd, listenToInput, type PaneParts, queryCommands, setSearchOptions, showHistory } from "../pane/pane-commands";
import { buildBox, completionsFor } from "../pane/pane-dom";
import { PassagePreview } from "../list/passage-preview";
import { ResultList } from "../list/result-list";
import { panelAround, type PlaceCommands } from "../pane/panel";
import { statusLine } from "../pane/status";
import { vaultNames } from "../completion/vault-names";

const QUICK_PLACE = "quarry-quick";

const PREVIEW_MS = 120; // a selection that moves on renders nothing

export class QuickSearch extends Modal {
  readonly #life = new Component();
  readonly #session: SearchSession;
  #cancelPreview: Cancel = () => undefined;

  constructor(
    app: App,
    private readonly parts: PaneParts,
    private readonly openPane: (query: string) => void,
  ) {
    super(app);
    this.#session = parts.createSession();
  }

  override onOpen(): void {
    const { parts, modalEl, contentEl } = this;
    const session = this.#session;
    const life = this.#life;
    modalEl.addClass("quarry-quick");
    modalEl.setAttr("aria-label", t("command.quick"));
    contentEl.empty();
    life.load();
    const { search, input, completionsEl } = buildBox(contentEl);
    const showStatus = statusLine(contentEl, parts.clock, (action) => { commands[action]?.(); });
    const columns = contentEl.createDiv({ cls: "quarry-quick-columns" });
    const bodyEl = columns.createDiv({ cls: "quarry-body", attr: scrollable(t("pane.results")) });
    const previewEl = columns.createDiv({ cls: "quarry-quick-preview", attr: scrollable(t("peek.title")) });
    this.#buildHints(contentEl);

    const setQuery = (query: string): void => {
      input.value = query;
      session.setQuery(query, true);
    };
    const toggleHelp = (): void => { list.dispatch({ kind: "help-toggled" }); };
    const commands: PlaceCommands = { ...parts.engineCommands, ...queryCommands({ model: () => list.model, input, setQuery, toggleHelp }) };
    const panel = panelAround(bodyEl, commands, parts.copy, shownPanel);
    const view = new ListView(contentEl, bodyEl, input, { clock: parts.clock, queries: parts.history });
    const completions = completionsFor(completionsEl, input, view, () => vaultNames(this.app), () => { session.setQuery(input.value); });
    const preview = new PassagePreview(this.app, previewEl);
    const around = {
      show: (model: PaneModel): void => {
        const state = stateOf(model);
        showStatus(model);
        panel.show(model);
        if (state.kind !== "searching") view.live.announceState(announcement(state));
        this.#previewSoon(preview, previewEl, model);
      },
      rowsShown: () => { completions.restoreAria(); },
    };
    const list = new ResultList(view, {
      ...parts,
      app: this.app,
      source: session,
      around,
      place: QUICK_PLACE,
      leaf: null,
      explain: null,
      opening: () => {
        parts.history.add(input.value);
        this.close();
      },
      chooseQuery: ({ query }) => { setQuery(query); },
    });
    const readHistory = (): void => { showHistory(list, parts.history); };
    life.addChild(list);
    life.register(parts.history.changed.listen(readHistory));
    listenToInput(life, { search, input, completions, list: view }, {
      typed: (text) => {
        session.setQuery(text);
        completions.update();
      },
      key: (event) => {
        const key = paneKey(event, Platform.isMacOS);
        if (!key || movesCaret(event, isAtEnd(input), list.model.selection.isPinned) || key.kind === "peek" || !list.handleKey(key, event)) return false; // the passage is at the side
        event.stopPropagation();
        return true;
      },
      left: () => { session.finishTyping(); },
    });
    this.scope.register(["Mod", "Shift"], "F", () => {
      this.close();
      this.openPane(input.value);
      return false;
    });
    list.readPreferences();
    list.dispatch({ kind: "offered", offers: { notes: recentNotes(this.app) } });
    readHistory();
    view.measure();
    setSearchOptions(session, view, parts.preferences());
    input.focus();
  }

  override onClose(): void {
    this.#cancelPreview();
    this.#session.close();
    this.#life.unload();
    this.contentEl.empty();
  }

  #previewSoon(preview: PassagePreview, el: HTMLElement, model: PaneModel): void {
    this.#cancelPreview();
    if (el.clientWidth === 0) return; // the dialog is too narrow for it
    const row = selectedRow(model);
    this.#cancelPreview = this.parts.clock.after(PREVIEW_MS, () => void preview.show(isPlace(row) ? row : null));
  }

  #buildHints(parent: HTMLElement): void {
    const hints = parent.createDiv({ cls: "quarry-quick-hints" });
    for (const key of ["open", "tab", "insert", "pane", "close"] as const) {
      const hint = hints.createDiv();
      hint.createSpan({ cls: "quarry-quick-key", text: combinationWords(KEYS[key], Platform.isMacOS) });
      hint.createSpan({ text: t(`quick.${key}`) });
    }
  }
}

const RECENT_NOTES = 6; // with as many queries they fill the column

/** The notes that were opened last, without the one that is open. */
function recentNotes({ vault, workspace }: App): Answer | null {
  const open = workspace.getActiveFile()?.path;
  const files = workspace.getLastOpenFiles().flatMap((path) => (path === open ? [] : vault.getFileByPath(path) ?? []));
  const hits = files.flatMap(({ path, basename, stat }) => {
    const kind = kindOf(path);
    return kind === null ? [] : [{ ...BLANK_HIT, path, kind, title: basename, modifiedMs: stat.mtime }];
  }).slice(0, RECENT_NOTES);
  if (hits.length === 0) return null;
  return { ...BLANK_RESULT, hits, total: hits.length, reachable: hits.length, query: "", mode: "keyword", limit: hits.length, snippetWidth: 0, lastWordIsPrefix: false, isAtRest: true, tookMs: 0 };
}

const KEYS = { open: "Enter", tab: "Mod+Enter", insert: "Alt+Enter", pane: "Mod+Shift+f", close: "Escape" } as const;
