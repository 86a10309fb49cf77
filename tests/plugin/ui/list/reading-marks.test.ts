// @vitest-environment jsdom
import { emptyBody } from "../dom";
import { expect, test } from "vitest";
import { markedRanges } from "../../../../plugin/ui/list/reading-marks";
import { passage } from "../../builders";

const SNIPPET = "**retry** with capped [backoff](https://x.y)";
const FOUND = passage({ snippet: SNIPPET, marks: [{ start: 2, end: 7, kind: "word" }, { start: 23, end: 30, kind: "word" }], matchStart: 2, matchEnd: 7 });

function rendered(...blocks: readonly (readonly string[])[]): HTMLElement {
  const root = emptyBody().createDiv();
  for (const [first = "", bold = "", rest = "", link = ""] of blocks) {
    const el = root.createEl("p");
    el.appendText(first);
    el.createEl("strong", { text: bold });
    el.appendText(rest);
    el.createEl("a", { text: link });
  }
  return root;
}

const texts = (root: HTMLElement): string[] => markedRanges(root, FOUND, SNIPPET.length).map((range) => range.toString());

test("the marks are found in what is rendered, across its elements", () => {
  expect(texts(rendered(["", "retry", " with capped ", "backoff"]))).toEqual(["retry", "backoff"]);
});

test("they are those of the passage, not the same words elsewhere", () => {
  const root = rendered(["Other ", "backoff", " and ", "retry"], ["", "retry", " with capped ", "backoff"]);
  const [first] = markedRanges(root, FOUND, SNIPPET.length);

  expect(first?.startContainer.parentElement?.parentElement).toBe(root.children[1]);
});

test("nothing is lit while the passage is not rendered", () => {
  expect(texts(rendered(["Something ", "else", "", ""]))).toEqual([]);
});
