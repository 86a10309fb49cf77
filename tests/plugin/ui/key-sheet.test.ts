// @vitest-environment jsdom
import "./dom";
import { App } from "obsidian";
import { expect, test } from "vitest";
import { BINDINGS } from "../../../plugin/pane/keys";
import { KeySheet } from "../../../plugin/ui/key-sheet";
import { texts } from "./dom";

test("every key that has a meaning is listed", () => {
  const sheet = new KeySheet(new App(), false);
  sheet.onOpen();

  expect(texts(sheet.contentEl, "kbd")).toHaveLength(BINDINGS.flatMap(({ keys }) => keys).length);
  expect(texts(sheet.contentEl, "dd")).toHaveLength(BINDINGS.length);
  expect(texts(sheet.contentEl, "kbd")).toContain("Ctrl + Alt + Enter");
});
