// @vitest-environment jsdom
import "./dom";
import { Menu, type MenuItem } from "obsidian";
import { expect, test, vi } from "vitest";
import { type QueryRow } from "../../../plugin/pane/rows";
import { queryMenu } from "../../../plugin/ui/query-menu";

/** Builds the menu of `row` and chooses each of its items. */
function chosenIn(row: QueryRow): string[] {
  const did: string[] = [];
  vi.spyOn(Menu.prototype, "addItem").mockImplementation(function (this: Menu, build) {
    const item = {
      setTitle: (title: string) => { did.push(title); return item; },
      setIcon: () => item,
      onClick: (run: () => void) => { run(); return item; },
    };
    build(item as unknown as MenuItem);
    return this;
  });
  queryMenu(row, { toggleSaved: (query) => did.push(`star ${query}`), forget: (query) => did.push(`forget ${query}`) });
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
