/** The index inspector as Obsidian's view: what is indexed, what is not and why, and what can be done about it. */
import { ItemView, Menu, type WorkspaceLeaf } from "obsidian";
import { type Cancel } from "../../clock";
import { freshnessWords, indexFacts, stateName, STATES, totalOf, wayOutWords } from "../../i18n/inspection";
import { failureWords } from "../../i18n/engine";
import { number, t } from "../../i18n/translate";
import { InspectorTree, type TreeRow } from "../../inspector/tree";
import { folderOf, type WayOut, wayOut } from "../../inspector/ways-out";
import { freshness } from "../../pane/state";
import { type NoteState } from "../../protocol/messages";
import { ICON } from "../icon";
import { addMenuItem, isToDraw, showMenuBelow, showText } from "../list/elements";
import { type Inspector, INSPECTOR_VIEW } from "./inspector";
import { type InspectorList, inspectorList } from "./inspector-list";
import { drawFacts } from "./report-modal";

const REFRESH_MS = 1_500; // notes are indexed by the hundred in that time; a walk over a large vault takes a fifth of it

export class InspectorView extends ItemView {
  override navigation = false;
  override icon = ICON;
  readonly #tree: InspectorTree;
  #list: InspectorList | null = null;
  #statusEl = createDiv({ cls: "quarry-inspect-status", attr: { role: "status" } });
  #factsEl = createEl("dl", { cls: "quarry-inspect-dl" });
  #filtersEl = createDiv({ cls: "quarry-inspect-filters" });
  #emptyEl = createDiv({ cls: "quarry-inspect-empty" });
  #cancelRefresh: Cancel | null = null;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly inspector: Inspector,
  ) {
    super(leaf);
    this.#tree = new InspectorTree(inspector.source);
  }

  getViewType(): string {
    return INSPECTOR_VIEW;
  }

  getDisplayText(): string {
    return t("inspect.title");
  }

  protected override async onOpen(): Promise<void> {
    this.contentEl.empty();
    this.contentEl.addClass("quarry-inspect");
    const { commands, supervisor } = this.inspector.outside;
    this.contentEl.append(this.#statusEl, this.#factsEl);
    const bar = this.contentEl.createDiv({ cls: "quarry-inspect-bar" });
    const button = (text: string, run: () => void): void => {
      bar.createEl("button", { text }).addEventListener("click", run);
    };
    button(t("command.why"), () => { this.inspector.why(); });
    button(t("inspect.rebuild"), () => { this.inspector.confirmRebuild(); });
    button(t("action.copy-report"), commands["copy-report"]);
    button(t("action.open-settings"), commands["open-settings"]);
    this.#filtersEl.setAttrs({ role: "group", "aria-label": t("inspect.filter") });
    this.contentEl.append(this.#filtersEl, this.#emptyEl);
    this.#list = inspectorList(this.contentEl.createDiv({ cls: "quarry-inspect-list" }), {
      enter: (row) => { this.#enter(row); },
      menu: (row, at) => { this.#showMenu(row, at); },
    });
    this.register(supervisor.changed.listen(() => { this.#changed(); }));
    this.register(supervisor.statusChanged.listen(() => { this.#changed(); }));
    this.#draw();
    await this.#refresh();
  }

  protected override onClose(): Promise<void> {
    this.#cancelRefresh?.();
    this.#cancelRefresh = null;
    this.#list = null;
    return Promise.resolve();
  }

  // --- what is asked for ----------------------------------------------------------------------------

  #changed(): void {
    this.#draw();
    this.#cancelRefresh ??= this.inspector.outside.clock.after(REFRESH_MS, () => {
      this.#cancelRefresh = null;
      void this.#refresh();
    });
  }

  async #refresh(): Promise<void> {
    if (this.inspector.outside.supervisor.state.kind !== "live") return;
    await this.#tree.refresh();
    this.#draw();
  }

  async #after(change: Promise<void>): Promise<void> {
    this.#draw();
    await change;
    this.#draw();
  }

  #enter(row: TreeRow): void {
    if (row.kind === "folder") void this.#after(this.#tree.toggle(row.folder.path));
    else if (row.kind === "more") void this.#after(this.#tree.more(row.of));
    else this.inspector.why(row.note.path);
  }

  #showMenu(row: TreeRow, at: HTMLElement): void {
    const menu = new Menu();
    const add = (title: string, icon: string, run: () => void): void => { addMenuItem(menu, title, icon, run); };
    const addWay = (way: WayOut | null, path: string): void => {
      if (way) add(wayOutWords(way), ICONS[way.kind], () => { void this.inspector.takeWayOut(way, path); });
    };
    if (row.kind === "folder") {
      const { path, excludedBy } = row.folder;
      if (excludedBy) addWay(wayOut(`${path}/`, "excluded", excludedBy), path);
      else add(t("inspect.exclude"), "eye-off", () => { void this.inspector.exclude(path); });
    } else if (row.kind === "note") {
      const { path, state, reason } = row.note;
      const way = reason ? wayOut(path, state, reason) : null;
      addWay(way, path);
      if (way?.kind !== "open") addWay({ kind: "open" }, path);
      add(t("inspect.why"), "info", () => { this.inspector.why(path); });
      if (state !== "excluded" && folderOf(path) !== "") add(t("inspect.excludeFolder", { folder: folderOf(path) }), "eye-off", () => { void this.inspector.exclude(folderOf(path)); });
    }
    showMenuBelow(menu, at);
  }

  // --- what is drawn --------------------------------------------------------------------------------

  #draw(): void {
    const { supervisor } = this.inspector.outside;
    const { vault, failure, filter } = this.#tree;
    const isLive = supervisor.state.kind === "live";
    showText(this.#statusEl, freshnessWords(freshness(supervisor.state, supervisor.status)).text);
    drawFacts(this.#factsEl, isLive && supervisor.status ? indexFacts(supervisor.status, supervisor.program?.version ?? null, Date.now()) : []);
    const rows = isLive ? this.#tree.rows() : [];
    this.#drawFilters();
    const empty = (): string => {
      if (!isLive) return t("inspect.unavailable");
      if (failure) return failureWords(failure);
      if (!vault) return t("inspect.loading");
      return rows.length === 0 ? t(filter === null ? "inspect.loading" : "inspect.none") : "";
    };
    showText(this.#emptyEl, empty());
    this.#list?.show(rows);
  }

  #drawFilters(): void {
    const counts = this.#tree.vault?.counts;
    const { filter } = this.#tree;
    const shown = counts ? STATES.filter((state) => counts[state] > 0 || state === filter) : [];
    const labels: readonly (readonly [NoteState | null, string])[] = counts
      ? [[null, `${t("inspect.all")} ${number(totalOf(counts))}`], ...shown.map((state) => [state, `${stateName(state)} ${number(counts[state])}`] as const)]
      : [];
    if (!isToDraw(this.#filtersEl, [labels, filter])) return;
    const focused = this.#filtersEl.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset["state"] : undefined;
    this.#filtersEl.empty();
    for (const [state, text] of labels) {
      const button = this.#filtersEl.createEl("button", { text, attr: { "aria-pressed": String(state === filter), "data-state": state ?? "all" } });
      button.addEventListener("click", () => void this.#after(this.#tree.show(state)));
      if (focused === (state ?? "all")) button.focus();
    }
  }
}

const ICONS: Readonly<Record<WayOut["kind"], string>> = {
  include: "eye",
  "index-templates": "eye",
  retry: "refresh-cw",
  open: "file-text",
  "open-settings": "settings",
  "open-app-settings": "settings",
};
