// @vitest-environment jsdom
import { type App, Menu, type MenuItem, type WorkspaceLeaf } from "obsidian";
import { describe, expect, test, vi } from "vitest";
import "../dom";
import { type PlaceRow, type QueryRow } from "../../../../plugin/pane/rows";
import { commandsFor, queryMenu, rowCommands, type RowHandlers, rowMenu } from "../../../../plugin/ui/list/row-actions";
import { hit, hitRow, passage } from "../../builders";

/** The items of the menus that are built from now on: title -> what choosing it does. */
function menuItems(): ReadonlyMap<string, () => void> {
  const items = new Map<string, () => void>();
  vi.spyOn(Menu.prototype, "addItem").mockImplementation(function (this: Menu, build) {
    let title = "";
    const item = { setTitle: (text: string) => { title = text; return item; }, setIcon: () => item, setSection: () => item, onClick: (run: () => void) => { items.set(title, run); return item; } };
    build(item as unknown as MenuItem);
    return this;
  });
  return items;
}

describe("row commands", () => {
  const trigger = vi.fn();
  const leaf: unknown = {};
  const app = {
    vault: { getFileByPath: (path: string) => (path === "API.md" ? { path } : null), getFiles: () => [] },
    workspace: { trigger },
  } as unknown as App;

  function option(path: string, headingPath: readonly string[]): PlaceRow {
    const found = passage({ headingPath, line: 12 });
    return hitRow(hit(path), { passage: found });
  }

  function recorded(): RowHandlers & { readonly did: string[] } {
    const did: string[] = [];
    const paths = (rows: readonly PlaceRow[]): string => rows.map(({ hit: { path } }) => path).join("+");
    return {
      did,
      open: (rows, where) => did.push(`open ${paths(rows)} ${String(where)}`),
      insert: (rows, what) => did.push(`insert ${what} ${paths(rows)}`),
      copyLinks: (rows) => did.push(`links ${paths(rows)}`),
      copyText: (row) => did.push(`text ${row.hit.path}`),
      explain: () => (path) => did.push(`explain ${path}`),
      setContext: () => (row, isShown) => did.push(`context ${row.hit.path} ${String(isShown)}`),
      dismiss: (rows, isDismissed) => did.push(`dismiss ${paths(rows)} ${String(isDismissed)}`),
      openNote: (path) => did.push(`note ${path}`),
    };
  }

  test("a map of content that lists the note can be opened from the menu", () => {
    const items = menuItems();
    const chosen: PlaceRow = { ...option("API.md", []), hit: hit("API.md", { maps: [{ path: "Work/Work MOC.md", title: "Work MOC" }] }) };
    const handlers = recorded();
    rowMenu(app, [chosen], rowCommands(app, handlers), "quarry-search", leaf as WorkspaceLeaf, handlers);
    items.get("Open map “Work MOC”")?.();

    expect(handlers.did).toEqual(["note Work/Work MOC.md"]);
    expect(trigger).toHaveBeenCalledWith("file-menu", expect.any(Menu), { path: "API.md" }, "quarry-search", leaf);
  });

  test("each command does what its name says", () => {
    const handlers = recorded();
    const row = option("API.md", ["Backoff"]);
    for (const { run } of Object.values(rowCommands(app, handlers))) run([row]);

    expect(handlers.did).toEqual([
      "open API.md false",
      "open API.md tab",
      "open API.md background",
      "open API.md split",
      "open API.md window",
      "insert link API.md",
      "insert quote API.md",
      "links API.md",
      "text API.md",
      "context API.md true",
      "context API.md false",
      "explain API.md",
      "dismiss API.md true",
      "dismiss API.md false",
    ]);
  });

  test("commands are offered where they make sense", () => {
    const commands = rowCommands(app, { ...recorded(), explain: () => null });
    const missing = (...rows: readonly PlaceRow[]): string[] => Object.keys(commands).filter((id) => !commandsFor(commands, rows).some((offered) => offered === id));
    const row = hitRow(hit("API.md"));

    expect(missing(row)).toEqual(["less-context", "explain", "restore"]);
    expect(missing({ ...row, isDismissed: true })).toEqual(["less-context", "explain", "dismiss"]);
    expect(missing(hitRow(hit("gone.md"), { passage: null }))).toEqual(["insert-link", "insert-quote", "copy-link", "copy-text", "more-context", "less-context", "explain", "restore"]);
    expect(missing({ ...row, context: passage() })).toEqual(["more-context", "explain", "restore"]);
    expect(commandsFor(commands, [row, row])).toEqual(["open-tab", "open-background", "insert-link", "insert-quote", "copy-link"]);
    expect(commandsFor(commands, [])).toEqual([]);
  });

  test("the menu of several rows says how many there are", () => {
    const items = menuItems();
    const handlers = recorded();
    const rows = [option("API.md", []), option("API.md", [])];
    trigger.mockClear();
    rowMenu(app, rows, rowCommands(app, handlers), "quarry-search", null, handlers);

    expect([...items.keys()]).toEqual(["Open 2 in new tabs", "Open 2 in background tabs", "Insert 2 links", "Insert 2 quotes", "Copy 2 links"]);
    expect(trigger).not.toHaveBeenCalled();
  });
});

describe("query menu", () => {
  /** The items of the menu of `row`, and what choosing each of them does. */
  function chosenIn(row: QueryRow): string[] {
    const did: string[] = [];
    const items = menuItems();
    queryMenu(row, { toggleSaved: (query) => did.push(`star ${query}`), forget: (query) => did.push(`forget ${query}`) });
    for (const [title, run] of items) {
      did.push(title);
      run();
    }
    return did;
  }

  test("a recent query is saved or forgotten", () => {
    expect(chosenIn({ kind: "recent", key: "recent glue", query: "glue", isSaved: false })).toEqual(["Save this search", "star glue", "Remove from recent searches", "forget glue"]);
  });

  test("a saved one is no longer saved", () => {
    expect(chosenIn({ kind: "recent", key: "saved glue", query: "glue", isSaved: true })).toEqual(["Remove from saved searches", "star glue"]);
  });

  test("an example can be saved", () => {
    expect(chosenIn({ kind: "example", key: "example glue", query: "What is glue?" })).toEqual(["Save this search", "star What is glue?"]);
  });
});
