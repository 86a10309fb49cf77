/** Search inside the open note: a bar over it, and ticks beside its scroll bar. When it is closed nothing of it is left. */
import { type App, Component, type MarkdownView, type TFile } from "obsidian";
import { NoteSearch, type NoteSearchState } from "../../search/note-search";
import { lineAt, locatePassage, toEditorText } from "../../search/passage";
import { type Requester } from "../../sidecar/client";
import { noteCountWords } from "../../i18n/panels";
import { t } from "../../i18n/translate";
import { showPassage } from "../list/open";
import { iconButton, setText } from "../list/elements";
import { type ListServices } from "../list/result-list";

const MAX_TICKS = 200; // more cannot be told apart

export class NoteSearchBar extends Component {
  readonly #search: NoteSearch;
  readonly #barEl: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #countEl: HTMLElement;
  readonly #ticksEl: HTMLElement;
  #shown: Pick<NoteSearchState, "passages" | "visit"> = { passages: [], visit: 0 };

  constructor(
    private readonly app: App,
    private readonly view: MarkdownView,
    private readonly file: TFile,
    private readonly parts: ListServices & { readonly client: Requester },
    private readonly close: () => void,
  ) {
    super();
    this.#search = new NoteSearch(parts.client, parts.clock, () => file.path, () => parts.preferences().mode);
    this.#barEl = createDiv({ cls: "quarry-note-search", attr: { role: "search", "aria-label": t("command.inNote") } });
    this.#input = this.#barEl.createEl("input", { type: "text", placeholder: t("inNote.placeholder"), attr: { "aria-label": t("inNote.placeholder"), spellcheck: "false", dir: "auto" } });
    this.#countEl = this.#barEl.createSpan({ cls: "quarry-note-search-count", attr: { role: "status" } });
    this.#button("chevron-up", t("inNote.previous"), () => { this.#search.move(-1); });
    this.#button("chevron-down", t("inNote.next"), () => { this.#search.move(1); });
    this.#button("x", t("inNote.close"), () => { this.#leave(); });
    this.#ticksEl = createDiv({ cls: "quarry-ticks", attr: { "aria-hidden": "true" } }); // for the mouse: the bar says where one is
  }

  override onload(): void {
    const { view, app } = this;
    const search = this.#search;
    view.contentEl.addClass("quarry-searched");
    view.contentEl.append(this.#barEl, this.#ticksEl);
    this.register(search.changed.listen((state) => { this.#show(state); }));
    this.register(this.parts.indexUpdated.listen(() => { search.refresh(); }));
    this.registerDomEvent(this.#input, "input", (event) => { if (!(event as InputEvent).isComposing) search.setQuery(this.#input.value); });
    this.registerDomEvent(this.#input, "compositionend", () => { search.setQuery(this.#input.value); });
    this.registerDomEvent(this.#barEl, "keydown", (event) => { this.#onKey(event); });
    const stillOpen = (): void => { if (view.file !== this.file || !view.containerEl.isConnected) this.close(); };
    this.registerEvent(app.workspace.on("file-open", stillOpen));
    this.registerEvent(app.workspace.on("layout-change", stillOpen));
  }

  override onunload(): void {
    this.#search.close();
    this.#barEl.remove();
    this.#ticksEl.remove();
    this.view.contentEl.removeClass("quarry-searched");
  }

  /** Takes the focus, with a first query. */
  start(query: string): void {
    this.#input.value = query.replace(/\s+/gu, " ").trim();
    this.#search.setQuery(this.#input.value);
    this.#input.focus();
    this.#input.select();
  }

  #onKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const isInput = event.target === this.#input;
    if (event.key === "Escape") this.#leave();
    else if (isInput && (event.key === "ArrowDown" || (event.key === "Enter" && !event.shiftKey))) this.#search.move(1);
    else if (isInput && (event.key === "ArrowUp" || event.key === "Enter")) this.#search.move(-1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Closes the bar; the note has the focus, at the passage that was looked at. */
  #leave(): void {
    this.close();
    this.app.workspace.setActiveLeaf(this.view.leaf, { focus: true });
  }

  #show(state: NoteSearchState): void {
    setText(this.#countEl, noteCountWords(state));
    const before = this.#shown;
    this.#shown = state;
    if (state.passages !== before.passages) this.#drawTicks(state);
    const passage = state.current === null ? null : state.passages[state.current];
    for (const [at, tick] of [...this.#ticksEl.children].entries()) tick.toggleClass("is-current", at === state.current);
    if (passage && state.visit !== before.visit) showPassage(this.view, passage); // not when the note changes: its author has the caret
  }

  #drawTicks({ passages }: NoteSearchState): void {
    this.#ticksEl.empty();
    if (passages.length === 0) return;
    const text = toEditorText(this.view.getViewData());
    const lines = Math.max(1, lineAt(text, text.length) + 1);
    for (const [at, passage] of passages.slice(0, MAX_TICKS).entries()) {
      const tick = this.#ticksEl.createDiv({ cls: "quarry-tick" });
      tick.setCssStyles({ top: `${((lineAt(text, locatePassage(text, passage).start) / lines) * 100).toFixed(2)}%` });
      tick.addEventListener("click", () => { this.#search.move(at - (this.#search.state.current ?? 0)); });
    }
  }

  #button(icon: string, name: string, run: () => void): void {
    iconButton(this.#barEl, icon, name, run, { cls: "clickable-icon quarry-tool", attr: { "data-icon": icon } });
  }
}
