import { expect, test } from "vitest";
import { BINDINGS, combinationsOf, movesCaret, type PaneKey, paneKey } from "../../../plugin/pane/keys";

/** A Mac's keyboard, where Command is held. */
const press = (key: string, held: { altKey?: boolean; shiftKey?: boolean; ctrlKey?: boolean; metaKey?: boolean; isComposing?: boolean } = {}, isMac = held.metaKey === true): PaneKey | null =>
  paneKey({ key, altKey: false, shiftKey: false, ctrlKey: false, metaKey: false, isComposing: false, ...held }, isMac);

test.each([
  ["ArrowDown", { kind: "move", step: 1 }],
  ["ArrowUp", { kind: "move", step: -1 }],
  ["PageDown", { kind: "move", step: 5 }],
  ["PageUp", { kind: "move", step: -5 }],
  ["Enter", { kind: "open" }],
  ["Escape", { kind: "escape" }],
  ["ContextMenu", { kind: "menu" }],
])("%s is ours", (key, meaning) => {
  expect(press(key)).toEqual(meaning);
});

test("what Obsidian and the caret do with a key is left to them", () => {
  for (const key of ["o", "s", "n", "p", "1", "2", "3", " "]) expect(press(key, { ctrlKey: true })).toBeNull();
  for (const key of ["o", "s", "n", "p", "1", "2", "3"]) expect(press(key, { metaKey: true })).toBeNull();
  for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]) expect(press(key, { altKey: true })).toBeNull();
});

test("on a Mac, Control+N and P go through the rows as they go through lines, and no other key means Control", () => {
  expect([press("n", { ctrlKey: true }, true), press("p", { ctrlKey: true }, true)]).toEqual([{ kind: "move", step: 1 }, { kind: "move", step: -1 }]);
  expect([press("Enter", { ctrlKey: true }, true), press("Enter", { metaKey: true }, false)]).toEqual([null, null]);
  expect(BINDINGS.flatMap((binding) => combinationsOf(binding, false)).filter((combination) => combination.startsWith("Ctrl+"))).toEqual([]);
});

test("Mod+Z undoes, and neither the letter nor redo does", () => {
  expect([press("z", { ctrlKey: true }), press("z", { metaKey: true })]).toEqual([{ kind: "undo" }, { kind: "undo" }]);
  expect(press("Z", { ctrlKey: true })).toEqual({ kind: "undo" }); // caps lock
  expect([press("z"), press("z", { ctrlKey: true, shiftKey: true })]).toEqual([null, null]);
});

test("F10 is the menu key only with Shift", () => {
  expect([press("F10"), press("F10", { shiftKey: true })]).toEqual([null, { kind: "menu" }]);
});

test("right and left unfold and fold, and are told apart from keys that leave the caret alone", () => {
  expect([press("ArrowRight"), press("ArrowLeft")]).toEqual([{ kind: "expand", isExpanded: true }, { kind: "expand", isExpanded: false }]);
  const atEnd = (isAtEnd: boolean, isAmongRows: boolean): readonly boolean[] => ["ArrowRight", "ArrowLeft", "ArrowDown"].map((key) => movesCaret({ key }, isAtEnd, isAmongRows));
  expect([atEnd(false, true), atEnd(true, false), atEnd(true, true)]).toEqual([[true, true, false], [false, true, false], [false, false, false]]);
});

test("Mod walks through the history", () => {
  const mod = (key: string): PaneKey | null => press(key, { metaKey: true });

  expect([mod("ArrowUp"), mod("ArrowDown")]).toEqual([{ kind: "history", step: 1 }, { kind: "history", step: -1 }]);
});

test.each(["Home", "End", "a"])("%j stays with the text", (key) => {
  expect(press(key)).toBeNull();
});

test.each(["Enter", "ArrowDown", "Escape"])("%s belongs to an input method that composes", (key) => {
  expect(press(key, { isComposing: true })).toBeNull();
});

test("Enter opens, and with what is held it says where, inserts or creates", () => {
  const enter = (held: Parameters<typeof press>[1]): PaneKey | null => press("Enter", held);

  expect(enter({ ctrlKey: true })).toEqual({ kind: "command", command: "open-tab" });
  expect(enter({ metaKey: true, altKey: true })).toEqual({ kind: "command", command: "open-split" });
  expect(enter({ ctrlKey: true, altKey: true, shiftKey: true })).toEqual({ kind: "command", command: "open-window" });
  expect(enter({ altKey: true })).toEqual({ kind: "command", command: "insert-link" });
  expect(enter({ altKey: true, shiftKey: true })).toEqual({ kind: "command", command: "insert-quote" });
  expect(enter({ shiftKey: true })).toEqual({ kind: "create" });
  expect(enter({ ctrlKey: true, shiftKey: true })).toBeNull();
});

test("Shift with the arrows chooses", () => {
  expect([press("ArrowDown", { shiftKey: true }), press("ArrowUp", { shiftKey: true })]).toEqual([{ kind: "extend", step: 1 }, { kind: "extend", step: -1 }]);
});

test("a question mark is one with Shift and without, a letter is not", () => {
  expect([press("?"), press("?", { shiftKey: true })]).toEqual([{ kind: "keys" }, { kind: "keys" }]);
  expect([press("C", { ctrlKey: true }), press("C", { ctrlKey: true, shiftKey: true })]).toEqual([{ kind: "command", command: "copy-link" }, null]);
});

test("no combination means two things", () => {
  const combinations = BINDINGS.flatMap(({ keys }) => keys.map(([combination]) => combination));

  expect(new Set(combinations).size).toBe(combinations.length);
});
