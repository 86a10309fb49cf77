/** The pane's skeleton: which elements there are and what each part is called. No behaviour. */
import { SearchComponent } from "obsidian";
import { type Clock } from "../clock";
import { type Mode } from "../protocol/messages";
import { type CompletionHandlers, CompletionList } from "./completion-list";
import { HitList } from "./hit-list";
import { type HitOption } from "./hit-row";
import { IndexStatusLine } from "./index-status";
import { ModeSwitch } from "./mode-switch";
import { OptionList } from "./option-list";
import { Panel, type PanelHandlers } from "./panel";
import { RecentList, type RecentOption } from "./recent-list";
import { Remarks } from "./remarks";
import { StaleMark } from "./stale-mark";
import { TEXT } from "./wording";

/** What the arrows move over: hits, or recent queries while the box is empty. */
export type Entry = HitOption | RecentOption;

export interface PaneDom {
  readonly el: HTMLElement;
  readonly search: SearchComponent;
  readonly input: HTMLInputElement;
  readonly modes: ModeSwitch;
  readonly countEl: HTMLElement;
  readonly completions: CompletionList;
  readonly handicapEl: HTMLElement;
  readonly remarks: Remarks;
  readonly panel: Panel;
  readonly listEl: HTMLElement;
  readonly stale: StaleMark;
  readonly hits: HitList;
  readonly recents: RecentList;
  readonly entries: OptionList<Entry>;
  readonly status: IndexStatusLine;
  readonly liveEl: HTMLElement;
}

let lastListId = 0; // ids are per document, and two panes may be open in one

export interface PaneHandlers extends PanelHandlers {
  readonly clock: Clock;
  readonly chooseMode: (mode: Mode) => void;
  readonly names: CompletionHandlers["names"];
  readonly completed: () => void;
}

export function buildPane(el: HTMLElement, handlers: PaneHandlers): PaneDom {
  el.empty();
  el.addClass("quarry-pane");
  const head = el.createDiv({ cls: "quarry-head" });
  const box = head.createDiv({ cls: "quarry-box" });
  const search = new SearchComponent(box).setPlaceholder(TEXT.placeholder);
  const input = search.inputEl;
  const completionsEl = box.createDiv({ cls: "quarry-completions is-hidden" });
  const bar = head.createDiv({ cls: "quarry-bar" });
  const modes = new ModeSwitch(bar, handlers.chooseMode);
  const countEl = bar.createDiv({ cls: "quarry-count" });
  const handicapEl = head.createDiv({ cls: "quarry-handicap is-hidden" });
  const remarks = new Remarks(head.createDiv({ cls: "quarry-remarks is-hidden" }), handlers.act);
  const panelEl = el.createDiv({ cls: "quarry-panel is-hidden" });
  const listEl = el.createDiv({ cls: "quarry-list search-result-container" });
  lastListId += 1;
  listEl.id = `quarry-list-${lastListId}`;
  completionsEl.id = `quarry-completions-${lastListId}`;
  listEl.setAttrs({ role: "listbox", "aria-label": TEXT.listLabel });
  const hits = new HitList(listEl.createDiv({ cls: "search-results-children", attr: { role: "presentation" } }));
  const stale = new StaleMark(listEl, handlers.clock);
  const recents = new RecentList(listEl.createDiv({ cls: "quarry-recents", attr: { role: "presentation" } }));
  const status = new IndexStatusLine(el.createDiv({ cls: "quarry-foot" }), handlers.act);
  const liveEl = el.createDiv({ cls: "quarry-live", attr: { "aria-live": "polite" } });
  input.setAttrs({
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-controls": listEl.id,
    "aria-expanded": "false",
    "aria-haspopup": "listbox",
    "aria-label": TEXT.placeholder,
  });
  const entries = new OptionList<Entry>(input, listEl.id);
  const completions = new CompletionList(completionsEl, input, {
    names: handlers.names,
    taken: handlers.completed,
    unmarked: () => { entries.speak(); },
  });
  const panel = new Panel(panelEl, handlers);
  return { el, search, input, completions, modes, countEl, handicapEl, remarks, panel, listEl, stale, hits, recents, entries, status, liveEl };
}
