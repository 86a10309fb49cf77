import { expect, test } from "vitest";
import { excludingEntry, wayOut } from "../../../plugin/inspector/ways-out";

const reason = (code: string, entry: string | null = null) => ({ code: `reason.${code}`, args: entry === null ? {} : { entry } });

test.each([
  ["folders-exclude", "Archive", { kind: "include", folder: "Archive" }],
  ["folders-include", null, { kind: "include", folder: "a/b" }],
  ["templates", "T", { kind: "index-templates" }],
  ["obsidian-excluded", "x/", { kind: "open-app-settings" }],
  ["status", "draft", { kind: "open-settings" }],
  ["front-matter", null, { kind: "open" }],
  ["index-ignore", "*.x", null],
  ["drawing", null, null],
] as const)("%s", (code, entry, way) => {
  expect(wayOut("a/b/c.md", "excluded", reason(code, entry))).toEqual(way);
});

test("what failed or waits can be tried again", () => {
  expect(wayOut("a.md", "failed", reason("crash"))).toEqual({ kind: "retry" });
  expect(wayOut("a.md", "waiting", reason("changed"))).toEqual({ kind: "retry" });
});

test("a note in no folder cannot be included by its folder", () => {
  expect(wayOut("a.md", "excluded", reason("folders-include"))).toEqual({ kind: "open-settings" });
});

test.each([
  [["Archive"], [], "archive/Old", "Archive"],
  [["Archive"], [], "Archives", null],
  [["Caf\u00e9"], [], "Cafe\u0301", "Caf\u00e9"],
  [[], ["Work"], "Home", "Home"],
  [[], ["Work/Deep"], "Work", null],
  [[], [], "Home", null],
] as const)("the entry that leaves a folder out: %j %j %s", (excludeFolders, includeFolders, folder, entry) => {
  expect(excludingEntry({ excludeFolders: [...excludeFolders], includeFolders: [...includeFolders] }, folder)).toBe(entry);
});
