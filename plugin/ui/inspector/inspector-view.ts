/** The index inspector as Obsidian's view: what is indexed, what is not and why, and what can be done about it. */
import { ItemView, Menu, type WorkspaceLeaf } from "obsidian";
import { type Cancel, type Clock } from "../../clock";
import { failureWords } from "../../i18n/failures";
import { freshnessWords } from "../../i18n/freshness";
import { indexFacts, stateName, STATES, totalOf, wayOutWords } from "../../i18n/inspection";
import { number, t } from "../../i18n/translate";
import { InspectorTree, type TreeRow, type TreeSource } from "../../inspector/tree";
import { folderOf, type WayOut, wayOut } from "../../inspector/ways-out";
import { type CommandMap, type EngineActionId } from "../../pane/commands";
import { freshness, type ObservableEngine } from "../../pane/state";
import { type NoteReport, type NoteState } from "../../protocol/messages";
import { type Reply } from "../../sidecar/failure";
import { ICON } from "../icon";
import { InspectorList } from "./inspector-list";
import { drawFacts } from "./report-modal";

export const INSPECTOR_VIEW = "quarry-inspector";
const REFRESH_MS = 1_500; // notes are indexed by the hundred in that time; a walk over a large vault takes a fifth of it

export class InspectorView extends ItemView {
  override navigation = false;
  override icon = ICON;
  private readonly tree: InspectorTree;
  private list: InspectorList | null = null;
  private statusEl = createDiv({ cls: "quarry-inspect-status", attr: { role: "status" } });
  private factsEl = createEl("dl", { cls: "quarry-inspect-dl" });
  private filtersEl = createDiv({ cls: "quarry-inspect-filters" });
  private emptyEl = createDiv({ cls: "quarry-inspect-empty" });
  private cancelRefresh: Cancel | null = null;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly parts: InspectorParts,
  ) {
    super(leaf);
    this.tree = new InspectorTree(parts.source);
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
    const { commands, engine, why, rebuild } = this.parts;
    this.contentEl.append(this.statusEl, this.factsEl);
    const bar = this.contentEl.createDiv({ cls: "quarry-inspect-bar" });
    const button = (text: string, run: () => void): void => {
      bar.createEl("button", { text }).addEventListener("click", run);
    };
    button(t("command.why"), () => { why(); });
    button(t("inspect.rebuild"), rebuild);
    button(t("action.copy-report"), commands["copy-report"]);
    button(t("action.open-settings"), commands["open-settings"]);
    this.filtersEl.setAttrs({ role: "group", "aria-label": t("inspect.filter") });
    this.contentEl.append(this.filtersEl, this.emptyEl);
    this.list = new InspectorList(this.contentEl.createDiv({ cls: "quarry-inspect-list" }), {
      enter: (row) => { this.enter(row); },
      menu: (row, at) => { this.showMenu(row, at); },
    });
    this.register(engine.changed.listen(() => { this.changed(); }));
    this.register(engine.statusChanged.listen(() => { this.changed(); }));
    this.draw();
    await this.refresh();
  }

  protected override onClose(): Promise<void> {
    this.cancelRefresh?.();
    this.cancelRefresh = null;
    this.list = null;
    return Promise.resolve();
  }

  // --- what is asked for ----------------------------------------------------------------------------

  private changed(): void {
    this.draw();
    this.cancelRefresh ??= this.parts.clock.after(REFRESH_MS, () => {
      this.cancelRefresh = null;
      void this.refresh();
    });
  }

  private async refresh(): Promise<void> {
    if (this.parts.engine.state.kind !== "live") return;
    await this.tree.refresh();
    this.draw();
  }

  private async after(change: Promise<void>): Promise<void> {
    this.draw();
    await change;
    this.draw();
  }

  private enter(row: TreeRow): void {
    if (row.kind === "folder") void this.after(this.tree.toggle(row.folder.path));
    else if (row.kind === "more") void this.after(this.tree.more(row.of));
    else this.parts.why(row.note.path);
  }

  private showMenu(row: TreeRow, at: HTMLElement): void {
    const menu = new Menu();
    const add = (title: string, icon: string, run: () => void): void => {
      menu.addItem((item) => item.setTitle(title).setIcon(icon).onClick(run));
    };
    const addWay = (way: WayOut | null, path: string): void => {
      if (way) add(wayOutWords(way), ICONS[way.kind], () => { this.parts.takeWayOut(way, path); });
    };
    if (row.kind === "folder") {
      const { path, excludedBy } = row.folder;
      if (excludedBy) addWay(wayOut(`${path}/`, "excluded", excludedBy), path);
      else add(t("inspect.exclude"), "eye-off", () => { this.parts.exclude(path); });
    } else if (row.kind === "note") {
      const { path, state, reason } = row.note;
      const way = reason ? wayOut(path, state, reason) : null;
      addWay(way, path);
      if (way?.kind !== "open") addWay({ kind: "open" }, path);
      add(t("inspect.why"), "info", () => { this.parts.why(path); });
      if (state !== "excluded" && folderOf(path) !== "") add(t("inspect.excludeFolder", { folder: folderOf(path) }), "eye-off", () => { this.parts.exclude(folderOf(path)); });
    }
    const { left, bottom } = at.getBoundingClientRect();
    menu.showAtPosition({ x: left, y: bottom });
  }

  // --- what is drawn --------------------------------------------------------------------------------

  private draw(): void {
    const { engine, engineVersion } = this.parts;
    const { vault, failure, filter } = this.tree;
    const isLive = engine.state.kind === "live";
    setText(this.statusEl, freshnessWords(freshness(engine.state, engine.status)).text);
    drawFacts(this.factsEl, isLive && engine.status ? indexFacts(engine.status, engineVersion(), Date.now()) : []);
    const rows = isLive ? this.tree.rows() : [];
    this.drawFilters();
    const empty = (): string => {
      if (!isLive) return t("inspect.unavailable");
      if (failure) return failureWords(failure);
      if (!vault) return t("inspect.loading");
      return rows.length === 0 ? t(filter === null ? "inspect.loading" : "inspect.none") : "";
    };
    setText(this.emptyEl, empty());
    this.list?.show(rows);
  }

  private drawFilters(): void {
    const counts = this.tree.vault?.counts;
    const { filter } = this.tree;
    const shown = counts ? STATES.filter((state) => counts[state] > 0 || state === filter) : [];
    const labels: readonly (readonly [NoteState | null, string])[] = counts
      ? [[null, `${t("inspect.all")} ${number(totalOf(counts))}`], ...shown.map((state) => [state, `${stateName(state)} ${number(counts[state])}`] as const)]
      : [];
    const wanted = JSON.stringify([labels, filter]);
    if (this.filtersEl.dataset["shown"] === wanted) return;
    this.filtersEl.dataset["shown"] = wanted;
    const focused = this.filtersEl.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset["state"] : undefined;
    this.filtersEl.empty();
    for (const [state, text] of labels) {
      const button = this.filtersEl.createEl("button", { text, attr: { "aria-pressed": String(state === filter), "data-state": state ?? "all" } });
      button.addEventListener("click", () => void this.after(this.tree.show(state)));
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

function setText(el: HTMLElement, text: string): void {
  if (el.textContent !== text) el.setText(text);
  el.toggleClass("is-hidden", text === "");
}

export interface InspectorParts {
  readonly engine: ObservableEngine;
  readonly engineVersion: () => string | null;
  readonly clock: Clock;
  readonly source: TreeSource;
  readonly report: (path: string) => Promise<Reply<NoteReport>>;
  readonly exclude: (folder: string) => void;
  /** Does what gets a note found, and says so. */
  readonly takeWayOut: (way: WayOut, path: string) => void;
  /** Asks for a note, then why it is not found; with a path, at once. */
  readonly why: (path?: string) => void;
  /** Rebuilds the index, once the user has confirmed it. */
  readonly rebuild: () => void;
  readonly commands: CommandMap<EngineActionId>;
}
