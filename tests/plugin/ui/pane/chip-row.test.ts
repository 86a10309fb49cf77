// @vitest-environment jsdom
import { describe, beforeEach, expect, test } from "vitest";
import { type Clause, type Relaxed } from "../../../../plugin/protocol/messages";
import { type Chip, chipRow, chipsOf } from "../../../../plugin/ui/pane/chip-row";
import { emptyBody, texts } from "../dom";

describe("chip row", () => {
  let el: HTMLElement;
  let taken: string[];
  let left: number;
  let show: ReturnType<typeof chipRow>;

  beforeEach(() => {
    el = emptyBody().createDiv();
    taken = [];
    left = 0;
    show = chipRow(el, { take: (rest) => taken.push(rest), leave: () => { left += 1; } });
  });

  const buttons = (): HTMLElement[] => [...el.querySelectorAll<HTMLElement>("button")];
  const press = (key: string): void => { el.ownerDocument.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })); };

  test("chips show the text of the query as text, and a click takes one out", () => {
    show([{ text: "<b>", rest: "a" }, { text: "#x", rest: "b" }]);
    buttons()[1]?.click();

    expect(texts(el, ".quarry-chip-text")).toEqual(["<b>", "#x"]);
    expect(taken).toEqual(["b"]);
  });

  test("they are one tab stop, and the arrows move between them", () => {
    show([{ text: "#a", rest: "" }, { text: "#b", rest: "" }]);
    buttons()[0]?.focus();
    press("ArrowRight");

    expect(buttons().map(({ tabIndex }) => tabIndex)).toEqual([-1, 0]);
    expect(el.ownerDocument.activeElement).toBe(buttons()[1]);
  });

  test("Backspace takes the focused chip out, and the focus stays where it was", () => {
    show([{ text: "#a", rest: "x #b" }, { text: "#b", rest: "x #a" }]);
    buttons()[0]?.focus();
    press("Backspace");
    show([{ text: "#b", rest: "x" }]);

    expect(taken).toEqual(["x #b"]);
    expect(el.ownerDocument.activeElement).toBe(buttons()[0]);
    press("Delete");
    show([]);
    expect(left).toBe(1);
  });

  test("what is part of alternatives says so and stays", () => {
    show([{ text: "#a", rest: null }]);
    buttons()[0]?.click();

    expect(taken).toEqual([]);
    expect(buttons()[0]?.getAttribute("aria-disabled")).toBe("true");
    expect(el.querySelector(".quarry-chip-remove")).toBeNull();
  });
});

describe("clauses", () => {
  const clause = (fields: Partial<Clause>): Clause => ({ kind: "tag", start: 0, end: 0, name: "", value: "", negated: false, removable: true, ...fields });

  test("a chip says its part as it was typed, and cuts exactly that out", () => {
    const query = "🍵 #idea folder:Work tea";

    expect(chipsOf({ query, relaxed: null, clauses: [clause({ start: 3, end: 9 }), clause({ kind: "folder", start: 9, end: 21 })] })).toEqual([
      { text: "#idea", rest: "🍵 folder:Work tea" },
      { text: "folder:Work", rest: "🍵 #idea tea" },
    ]);
  });

  test("words about time become words again in parentheses", () => {
    const query = "reeds from last month #a";

    const chips = (relaxed: Relaxed | null): readonly Chip[] => chipsOf({ query, relaxed, clauses: [clause({ kind: "time", start: 6, end: 21, name: "from last month", value: "modified:last month" })] });
    const chip = { text: "from last month", rest: "reeds (from last month) #a", readAs: "modified:last month" };

    expect(chips(null)).toEqual([chip]);
    expect(chips({ step: "as-words", messages: [] })).toEqual([{ ...chip, isIgnored: true }]);
  });

  test("a part of alternatives cannot be taken out", () => {
    expect(chipsOf({ query: "a OR #b", relaxed: null, clauses: [clause({ start: 5, end: 7, removable: false })] })).toEqual([{ text: "#b", rest: null }]);
  });
});
