import { expect, test } from "vitest";
import { combinationWords, keySheet } from "../../../plugin/i18n/keys";

test("a combination is written as the system's keyboard has it", () => {
  expect([combinationWords("Mod+Alt+Enter", false), combinationWords("Mod+Alt+Enter", true)]).toEqual(["Ctrl + Alt + Enter", "⌘ ⌥ ↩"]);
  expect([combinationWords("Mod+o", false), combinationWords("Shift+ArrowDown", false)]).toEqual(["Ctrl + O", "Shift + ↓"]);
});

test("the sheet has a heading for each section, and no row without words", () => {
  const sheet = keySheet(false);

  expect(sheet.map(([heading]) => heading)).toEqual(["Results", "Open", "Write", "Search"]);
  expect(sheet.flatMap(([, rows]) => rows).every(({ label, combinations }) => label !== "" && combinations.length > 0)).toBe(true);
});
