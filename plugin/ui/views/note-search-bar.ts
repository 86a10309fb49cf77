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

/** The bar in `view`, with `query` as its first; it is there until it is unloaded. `close` unloads it. */
export function noteSearchBar(app: App, view: MarkdownView, file: TFile, parts: ListServices & { readonly client: Requester }, query: string, close: () => void): Component {
  const bar = new Component();
  const search = new NoteSearch(parts.client, parts.clock, () => file.path, () => parts.preferences().mode);
  const barEl = view.contentEl.createDiv({ cls: "quarry-note-search", attr: { role: "search", "aria-label": t("command.inNote") } });
  const input = barEl.createEl("input", { type: "text", placeholder: t("inNote.placeholder"), attr: { "aria-label": t("inNote.placeholder"), spellcheck: "false", dir: "auto" } });
  const countEl = barEl.createSpan({ cls: "quarry-note-search-count", attr: { role: "status" } });
  const ticksEl = view.contentEl.createDiv({ cls: "quarry-ticks", attr: { "aria-hidden": "true" } }); // for the mouse: the bar says where one is
  let shown: Pick<NoteSearchState, "passages" | "visit"> = { passages: [], visit: 0 };

  /** Closes the bar; the note has the focus, at the passage that was looked at. */
  const leave = (): void => {
    close();
    app.workspace.setActiveLeaf(view.leaf, { focus: true });
  };
  const button = (icon: string, name: string, run: () => void): void => {
    iconButton(barEl, icon, name, run, { cls: "clickable-icon quarry-tool", attr: { "data-icon": icon } });
  };
  button("chevron-up", t("inNote.previous"), () => { search.move(-1); });
  button("chevron-down", t("inNote.next"), () => { search.move(1); });
  button("x", t("inNote.close"), leave);

  const drawTicks = ({ passages }: NoteSearchState): void => {
    ticksEl.empty();
    if (passages.length === 0) return;
    const text = toEditorText(view.getViewData());
    const lines = Math.max(1, lineAt(text, text.length) + 1);
    for (const [at, passage] of passages.slice(0, MAX_TICKS).entries()) {
      const tick = ticksEl.createDiv({ cls: "quarry-tick" });
      tick.setCssStyles({ top: `${((lineAt(text, locatePassage(text, passage).start) / lines) * 100).toFixed(2)}%` });
      tick.addEventListener("click", () => { search.move(at - (search.state.current ?? 0)); });
    }
  };
  const show = (state: NoteSearchState): void => {
    setText(countEl, noteCountWords(state));
    const before = shown;
    shown = state;
    if (state.passages !== before.passages) drawTicks(state);
    const passage = state.current === null ? null : state.passages[state.current];
    for (const [at, tick] of [...ticksEl.children].entries()) tick.toggleClass("is-current", at === state.current);
    if (passage && state.visit !== before.visit) showPassage(view, passage); // not when the note changes: its author has the caret
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const isInput = event.target === input;
    if (event.key === "Escape") leave();
    else if (isInput && (event.key === "ArrowDown" || (event.key === "Enter" && !event.shiftKey))) search.move(1);
    else if (isInput && (event.key === "ArrowUp" || event.key === "Enter")) search.move(-1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const setQuery = (): void => { search.setQuery(input.value); };
  const closeIfLeft = (): void => { if (view.file !== file || !view.containerEl.isConnected) close(); };

  view.contentEl.addClass("quarry-searched");
  bar.register(() => {
    search.close();
    barEl.remove();
    ticksEl.remove();
    view.contentEl.removeClass("quarry-searched");
  });
  bar.register(search.changed.listen(show));
  bar.register(parts.indexUpdated.listen(() => { search.refresh(); }));
  bar.registerDomEvent(input, "input", (event) => { if (!(event as InputEvent).isComposing) setQuery(); });
  bar.registerDomEvent(input, "compositionend", setQuery);
  bar.registerDomEvent(barEl, "keydown", onKey);
  bar.registerEvent(app.workspace.on("file-open", closeIfLeft));
  bar.registerEvent(app.workspace.on("layout-change", closeIfLeft));
  input.value = query.replace(/\s+/gu, " ").trim();
  setQuery();
  input.focus();
  input.select();
  return bar;
}
