import { expect, test } from "vitest";
import { BINDINGS, type PaneKey, needsCaretAtEnd, paneKey } from "../../../plugin/pane/keys";

const press = (key: string, held: { altKey?: boolean; shiftKey?: boolean; ctrlKey?: boolean; metaKey?: boolean; isComposing?: boolean } = {}): PaneKey | null =>
  paneKey({ key, altKey: false, shiftKey: false, ctrlKey: false, metaKey: false, isComposing: false, ...held });

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

test("with Alt the arrows open and close a note's passages", () => {
  expect(press("ArrowDown", { altKey: true })).toEqual({ kind: "expand", isExpanded: true });
  expect(press("ArrowUp", { altKey: true })).toEqual({ kind: "expand", isExpanded: false });
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
  expect([press("ArrowRight", { altKey: true }), press("ArrowLeft", { altKey: true })]).toEqual([{ kind: "command", command: "more-context" }, { kind: "command", command: "less-context" }]);
  expect(["ArrowRight", "ArrowLeft", "ArrowDown", "Enter"].map((key) => needsCaretAtEnd({ key }))).toEqual([true, true, false, false]);
});

test("Mod walks through the history, saves and chooses the mode", () => {
  const mod = (key: string): PaneKey | null => press(key, { metaKey: true });

  expect([mod("ArrowUp"), mod("ArrowDown")]).toEqual([{ kind: "history", step: 1 }, { kind: "history", step: -1 }]);
  expect(mod("s")).toEqual({ kind: "save" });
  expect(["1", "2", "3", "4"].map(mod)).toEqual([{ kind: "mode", mode: "hybrid" }, { kind: "mode", mode: "keyword" }, { kind: "mode", mode: "semantic" }, null]);
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
  expect([press("O", { ctrlKey: true }), press("O", { ctrlKey: true, shiftKey: true })]).toEqual([{ kind: "command", command: "open-background" }, null]);
});

test("no combination means two things", () => {
  const combinations = BINDINGS.flatMap(({ keys }) => keys.map(([combination]) => combination));

  expect(new Set(combinations).size).toBe(combinations.length);
});
