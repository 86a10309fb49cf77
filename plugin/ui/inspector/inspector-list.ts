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

export interface InspectorList {
  show(rows: readonly TreeRow[]): void;
  focus(): void;
}

/** The tree grid in `listEl`. */
export function inspectorList(listEl: HTMLElement, handlers: ListHandlers): InspectorList {
  let rows: readonly TreeRow[] = [];
  let drawn = new Map<string, Drawn>();
  let active = "";

  const focus = (): void => { drawn.get(active)?.el.focus(); };
  const stop = (key: string, tabindex: number): void => {
    const el = drawn.get(key)?.el;
    for (const each of el ? [el, ...el.querySelectorAll("button")] : []) each.setAttribute("tabindex", String(tabindex));
  };
  const activate = (key: string): void => {
    if (key === active) return;
    stop(active, -1);
    active = key;
    stop(key, 0);
  };
  const go = (at: number): boolean => {
    const row = rows[at];
    if (!row) return false;
    activate(rowKey(row));
    focus();
    return true;
  };
  const press = (event: KeyboardEvent): boolean => {
    if (event.target instanceof HTMLButtonElement || event.ctrlKey || event.metaKey || event.altKey) return false;
    const at = rows.findIndex((row) => rowKey(row) === active);
    const row = rows[at];
    if (!row) return false;
    const isOpen = row.kind === "folder" && row.isOpen;
    switch (event.key) {
      case "ArrowDown":
        return go(at + 1);
      case "ArrowUp":
        return go(at - 1);
      case "Home":
        return go(0);
      case "End":
        return go(rows.length - 1);
      case "ArrowRight":
        if (row.kind !== "folder") return false;
        if (isOpen) return go(at + 1);
        handlers.enter(row);
        return true;
      case "ArrowLeft":
        if (!isOpen) return go(rows.slice(0, at).findLastIndex(({ level }) => level < row.level));
        handlers.enter(row);
        return true;
      case "Enter":
      case " ":
        handlers.enter(row);
        return true;
      default:
        return false;
    }
  };
  const addButton = (el: HTMLElement, row: TreeRow, name: string): void => {
    const openMenu = (event: MouseEvent): void => {
      event.stopPropagation();
      event.preventDefault();
      handlers.menu(row, button);
    };
    const info = { cls: "clickable-icon", attr: { tabindex: rowKey(row) === active ? 0 : -1 } };
    const button = iconButton(el.createDiv({ attr: { role: "gridcell" } }), "ellipsis", t("inspect.rowActions", { name }), openMenu, info);
    el.oncontextmenu = openMenu;
  };
  const fill = (el: HTMLElement, row: TreeRow): void => {
    const key = rowKey(row);
    el.setAttrs({ role: "row", "aria-level": row.level, "data-key": key, "data-kind": row.kind, tabindex: key === active ? 0 : -1 });
    el.setCssStyles({ marginInlineStart: `${1.25 * (row.level - 1)}em` });
    el.onclick = (): void => {
      activate(key);
      handlers.enter(row);
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
    addButton(el, row, name);
  };
  const patched = (row: TreeRow, before: Drawn | undefined): Drawn => {
    const shown = JSON.stringify(row);
    if (before?.shown === shown) return before;
    const hadFocus = before?.el.contains(document.activeElement) === true;
    // A row that changed is filled anew in its place: the element, and with it the focus, stays.
    const el = before?.el ?? createDiv({ cls: "quarry-inspect-row" });
    el.empty();
    fill(el, row);
    if (hadFocus && !el.contains(document.activeElement)) el.focus();
    return { el, shown };
  };
  const show = (wanted: readonly TreeRow[]): void => {
    rows = wanted;
    const keys = rows.map(rowKey);
    if (!keys.includes(active)) active = keys[0] ?? "";
    const before = drawn;
    drawn = new Map(rows.map((row, at) => [keys[at] ?? "", patched(row, before.get(keys[at] ?? ""))]));
    for (const [key, { el }] of before) if (!drawn.has(key)) el.remove();
    arrange(listEl, [...drawn.values()].map(({ el }) => el));
  };
  listEl.setAttrs({ role: "treegrid", "aria-label": t("inspect.list") });
  listEl.addEventListener("keydown", (event) => {
    if (press(event)) event.preventDefault();
  });
  listEl.addEventListener("focusin", ({ target }) => {
    const key = target instanceof Element ? target.closest<HTMLElement>("[data-key]")?.dataset["key"] : undefined;
    if (key !== undefined) activate(key);
  });
  return { show, focus };
}

function iconOf(row: Exclude<TreeRow, { kind: "more" }>): string {
  if (row.kind === "note") return row.note.state === "failed" ? "circle-alert" : "file-text";
  return row.isOpen ? "chevron-down" : "chevron-right";
}

function noteFacts({ note, withFolder }: Extract<TreeRow, { kind: "note" }>): string {
  const state = note.state === "indexed" ? "" : stateName(note.state);
  return joinFacts(withFolder ? folderOf(note.path) : "", note.reason ? `${state}: ${reasonWords(note.reason)}` : state);
}
