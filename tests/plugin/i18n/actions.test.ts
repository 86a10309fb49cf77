import { expect, test } from "vitest";
import { chosenWords, combinationWords, isForSeveral, keySheet, rowCommandName } from "../../../plugin/i18n/actions";

test("a combination is written as the system's keyboard has it", () => {
  expect([combinationWords("Mod+Alt+Enter", false), combinationWords("Mod+Alt+Enter", true)]).toEqual(["Ctrl + Alt + Enter", "⌘ ⌥ ↩"]);
  expect([combinationWords("Ctrl+n", true), combinationWords("Mod+c", false), combinationWords("Shift+ArrowDown", false)]).toEqual(["⌃ N", "Ctrl + C", "Shift + ↓"]);
});

test("the sheet has a heading for each section, and no row without words", () => {
  const sheet = keySheet(false);

  expect(sheet.map(([heading]) => heading)).toEqual(["Results", "Open", "Write", "Search"]);
  expect(sheet.flatMap(([, rows]) => rows).every(({ label, combinations }) => label !== "" && combinations.length > 0)).toBe(true);
});

test("a command says how many rows it concerns, where it is offered for several", () => {
  expect([rowCommandName("insert-link", 1), rowCommandName("insert-link", 3), rowCommandName("explain", 3)]).toEqual(["Insert link", "Insert 3 links", "Why is this here?"]);
  expect([isForSeveral("copy-link"), isForSeveral("open-split")]).toEqual([true, false]);
});

test("nothing is said while nothing is chosen", () => {
  expect([chosenWords(0), chosenWords(2)]).toEqual(["", "2 selected"]);
});
