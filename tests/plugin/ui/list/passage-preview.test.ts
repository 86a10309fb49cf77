// @vitest-environment jsdom
import { emptyBody, texts } from "../dom";
import { expect, test } from "vitest";
import { foundWords, lightUp, shownText } from "../../../../plugin/ui/list/passage-preview";
import { passage } from "../../builders";

test("the note is shown from the line on that the passage begins with, up to the end of a line", () => {
  const text = `before\nthe passage begins here\n${"and goes on\n".repeat(1_000)}`;
  const shown = shownText(text, passage({ start: text.indexOf("passage") }));

  expect(shown.startsWith("the passage begins here\n")).toBe(true);
  expect(shown.length).toBeLessThanOrEqual(4_000);
  expect(shown.endsWith("and goes on")).toBe(true);
});

test("an offset beyond a note that was cut shows its last line, and one long line is cut", () => {
  expect(shownText("a\nb", passage({ start: 99 }))).toBe("b");
  expect(shownText("x".repeat(9_000), null)).toHaveLength(4_000);
});

test("marked words are lit wherever they stand, and nothing else of the page changes", () => {
  const el = emptyBody().createDiv();
  el.createEl("p", { text: "Retry with a cap: retry (twice)" });
  el.createEl("p").createEl("em", { text: "No retry" });
  const before = el.textContent;
  lightUp(el, foundWords(passage({ snippet: "retry (twice)", marks: [{ start: 0, end: 5, kind: "word" }, { start: 6, end: 13, kind: "word" }] })));

  expect(texts(el, ".quarry-lit")).toEqual(["Retry", "retry", "(twice)", "retry"]);
  expect(el.textContent).toBe(before);
});

test("the properties of a note are not shown, a rule at the start of a passage is", () => {
  expect(shownText("---\ntags: a\n---\ntext", null)).toBe("text");
  expect(shownText("x\n---\ny\n---\nz", passage({ start: 2 }))).toBe("---\ny\n---\nz");
});

test("without marks nothing is lit", () => {
  const el = emptyBody().createDiv({ text: "retry" });
  lightUp(el, []);

  expect(el.innerHTML).toBe("retry");
});
