// @vitest-environment jsdom
import "./dom";
import { type App, type Editor } from "obsidian";
import { expect, test, vi } from "vitest";
import { insertBlock, newSearchNote } from "../../../plugin/ui/keep-search";

function editorAt(before: string): { editor: Editor; written: string[] } {
  const written: string[] = [];
  const editor = { getCursor: () => ({ line: 0, ch: before.length }), getLine: () => before, replaceSelection: (text: string) => written.push(text) };
  return { editor: editor as unknown as Editor, written };
}

test("a block stands on lines of its own", () => {
  const inLine = editorAt("some text ");
  const atStart = editorAt("  ");
  insertBlock(inLine.editor, "```quarry\n```\n");
  insertBlock(atStart.editor, "```quarry\n```\n");

  expect([inLine.written, atStart.written]).toEqual([["\n```quarry\n```\n"], ["```quarry\n```\n"]]);
});

test("a note of a search is named by its words, without what no file may be named, and takes no other note's place", async () => {
  const create = vi.fn(async (path: string) => Promise.resolve({ path }));
  const openFile = vi.fn();
  const app = {
    vault: { create, getAbstractFileByPath: (path: string) => (path === "Inbox/Search a b.md" ? {} : null) },
    workspace: { getActiveFile: () => null, getLeaf: () => ({ openFile }) },
    fileManager: { getNewFileParent: () => ({ path: "Inbox" }) },
  } as unknown as App;
  await newSearchNote(app, 'a/"b"', "keyword");

  expect(create).toHaveBeenCalledWith("Inbox/Search a b 1.md", '```quarry\na/"b"\nmode: words\n```\n');
  expect(openFile).toHaveBeenCalled();
});
