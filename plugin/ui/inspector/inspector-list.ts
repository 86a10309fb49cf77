/**
 * Draws the rows of the index inspector as a tree grid that the keyboard walks through. Rows are kept by key, so that the
 * focus stays where it is while the index changes; those out of sight cost no layout (`content-visibility`).
 */
import { setIcon } from "obsidian";
import { folderOf } from "../../inspector/ways-out";
import { type TreeRow, rowKey } from "../../inspector/tree";
import { number, t } from "../../i18n/translate";
import { exceptionWords, reasonWords, stateName } from "../../i18n/inspection";
import { joinFacts } from "../../i18n/formatting";
import { arrange, iconButton } from "../list/elements";

export interface ListHandlers {
  /** Opens or closes a folder, opens a note's report, shows more rows. */
  readonly enter: (row: TreeRow) => void;
  /** Shows what else can be done with the row, at its button. */
  readonly menu: (row: TreeRow, at: HTMLElement) => void;
}

interface Drawn {
  readonly el: HTMLElement;
  readonly shown: string;
}

export class InspectorList {
  #rows: readonly TreeRow[] = [];
  #drawn = new Map<string, Drawn>();
  #active = "";

  constructor(
    private readonly el: HTMLElement,
    private readonly handlers: ListHandlers,
  ) {
    el.setAttrs({ role: "treegrid", "aria-label": t("inspect.list") });
    el.addEventListener("keydown", (event) => {
      if (this.#press(event)) event.preventDefault();
    });
    el.addEventListener("focusin", ({ target }) => {
      const key = target instanceof Element ? target.closest<HTMLElement>("[data-key]")?.dataset["key"] : undefined;
      if (key !== undefined) this.#activate(key);
    });
  }

  show(rows: readonly TreeRow[]): void {
    this.#rows = rows;
    const keys = rows.map(rowKey);
    if (!keys.includes(this.#active)) this.#active = keys[0] ?? "";
    const before = this.#drawn;
    this.#drawn = new Map(rows.map((row, at) => [keys[at] ?? "", this.#patched(row, before.get(keys[at] ?? ""))]));
    for (const [key, { el }] of before) if (!this.#drawn.has(key)) el.remove();
    arrange(this.el, [...this.#drawn.values()].map(({ el }) => el));
  }

  focus(): void {
    this.#drawn.get(this.#active)?.el.focus();
  }

  #patched(row: TreeRow, before: Drawn | undefined): Drawn {
    const shown = JSON.stringify(row);
    if (before?.shown === shown) return before;
    const hadFocus = before?.el.contains(document.activeElement) === true;
    // A row that changed is filled anew in its place: the element, and with it the focus, stays.
    const el = before?.el ?? createDiv({ cls: "quarry-inspect-row" });
    el.empty();
    this.#fill(el, row);
    if (hadFocus && !el.contains(document.activeElement)) el.focus();
    return { el, shown };
  }

  #fill(el: HTMLElement, row: TreeRow): void {
    const key = rowKey(row);
    el.setAttrs({ role: "row", "aria-level": row.level, "data-key": key, "data-kind": row.kind, tabindex: key === this.#active ? 0 : -1 });
    el.setCssStyles({ marginInlineStart: `${1.25 * (row.level - 1)}em` });
    el.onclick = (): void => {
      this.#activate(key);
      this.handlers.enter(row);
    };
    const cell = el.createDiv({ cls: "quarry-inspect-cell", attr: { role: "gridcell" } });
    const head = cell.createDiv({ cls: "quarry-inspect-name" });
    if (row.kind === "more") {
      head.setText(t("inspect.more", { count: row.left }));
      return;
    }
    setIcon(head.createSpan({ cls: "quarry-inspect-icon", attr: { "aria-hidden": "true" } }), iconOf(row));
    const path = row.kind === "folder" ? row.folder.path : row.note.path;
    const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/i, "");
    head.createSpan({ cls: "quarry-inspect-text", text: name, attr: { dir: "auto" } });
    const facts = row.kind === "folder" ? exceptionWords(row.folder.counts) : noteFacts(row);
    if (row.kind === "folder") {
      el.setAttr("aria-expanded", String(row.isOpen));
      if (row.folder.counts.indexed > 0) head.createSpan({ cls: "quarry-inspect-count", text: number(row.folder.counts.indexed) });
    }
    if (facts !== "") cell.createDiv({ cls: "quarry-inspect-facts", text: facts, attr: { dir: "auto" } });
    this.#addButton(el, row, name);
  }

  #addButton(el: HTMLElement, row: TreeRow, name: string): void {
    const openMenu = (event: MouseEvent): void => {
      event.stopPropagation();
      event.preventDefault();
      this.handlers.menu(row, button);
    };
    const info = { cls: "clickable-icon", attr: { tabindex: rowKey(row) === this.#active ? 0 : -1 } };
    const button = iconButton(el.createDiv({ attr: { role: "gridcell" } }), "ellipsis", t("inspect.rowActions", { name }), openMenu, info);
    el.oncontextmenu = openMenu;
  }

  #activate(key: string): void {
    if (key === this.#active) return;
    this.#stop(this.#active, -1);
    this.#active = key;
    this.#stop(key, 0);
  }

  #stop(key: string, tabindex: number): void {
    const el = this.#drawn.get(key)?.el;
    for (const each of el ? [el, ...el.querySelectorAll("button")] : []) each.setAttribute("tabindex", String(tabindex));
  }

  #press(event: KeyboardEvent): boolean {
    if (event.target instanceof HTMLButtonElement || event.ctrlKey || event.metaKey || event.altKey) return false;
    const at = this.#rows.findIndex((row) => rowKey(row) === this.#active);
    const row = this.#rows[at];
    if (!row) return false;
    const isOpen = row.kind === "folder" && row.isOpen;
    switch (event.key) {
      case "ArrowDown":
        return this.#go(at + 1);
      case "ArrowUp":
        return this.#go(at - 1);
      case "Home":
        return this.#go(0);
      case "End":
        return this.#go(this.#rows.length - 1);
      case "ArrowRight":
        if (row.kind !== "folder") return false;
        if (isOpen) return this.#go(at + 1);
        this.handlers.enter(row);
        return true;
      case "ArrowLeft":
        if (!isOpen) return this.#go(this.#rows.slice(0, at).findLastIndex(({ level }) => level < row.level));
        this.handlers.enter(row);
        return true;
      case "Enter":
      case " ":
        this.handlers.enter(row);
        return true;
      default:
        return false;
    }
  }

  #go(at: number): boolean {
    const row = this.#rows[at];
    if (!row) return false;
    this.#activate(rowKey(row));
    this.focus();
    return true;
  }
}

function iconOf(row: Exclude<TreeRow, { kind: "more" }>): string {
  if (row.kind === "note") return row.note.state === "failed" ? "circle-alert" : "file-text";
  return row.isOpen ? "chevron-down" : "chevron-right";
}

function noteFacts({ note, withFolder }: Extract<TreeRow, { kind: "note" }>): string {
  const state = note.state === "indexed" ? "" : stateName(note.state);
  return joinFacts(withFolder ? folderOf(note.path) : "", note.reason ? `${state}: ${reasonWords(note.reason)}` : state);
}
