import { describe, expect, test } from "vitest";
import { toEditorText, lineAt, locatePassage } from "../../../plugin/search/passage";
import { passage } from "../builders";

const found = passage({
  snippet: "retry with capped backoff",
  marks: [{ start: 18, end: 25, kind: "word" }],
  matchStart: 26,
  matchEnd: 33,
});
const note = "# Gate\n\nretry with capped backoff, then stop";

const at = (text: string): string => {
  const { start, end } = locatePassage(text, found);
  return `${text.slice(0, start)}[${text.slice(start, end)}]${text.slice(end)}`;
};

describe("the passage", () => {
  test.each([
    ["where it was, in a note that did not change", note, "# Gate\n\nretry with capped [backoff], then stop"],
    ["found again after text was put before it", `A new first line\n${note}`, "capped [backoff], then"],
    ["the one in its own sentence, when the word stands nearer elsewhere", `${"x".repeat(20)} backoff ${"y".repeat(300)}\nretry with capped backoff, then stop`, "capped [backoff], then"],
    ["found although the snippet folded its line ends", "Moved down\n\nretry with\ncapped\n  backoff, then stop", "[backoff], then"],
    ["the nearest word when its sentence was rewritten", "# Gate\n\nnow a longer backoff is used, and another backoff far away", "longer [backoff] is"],
  ])("is %s", (_, text, shown) => {
    expect(at(text)).toContain(shown);
  });

  test("is its old place, within the text, when no word of it is left", () => {
    expect(locatePassage("gone", found)).toEqual({ start: 4, end: 4 });
  });

  test("with characters that mean something in patterns is found by themselves", () => {
    const odd = passage({ snippet: "a (b) [c] $d", marks: [{ start: 2, end: 9, kind: "word" }], matchStart: 0, matchEnd: 7 });

    expect(locatePassage("xx a (b) [c] $d", odd)).toEqual({ start: 5, end: 12 });
  });

  test("without a mark is its stated place", () => {
    expect(locatePassage(note, passage({ marks: [], matchStart: 8, matchEnd: 13 }))).toEqual({ start: 8, end: 13 });
  });
});

test("an editor shows no byte order mark and one character a line end", () => {
  expect(toEditorText("\uFEFFa\r\nb\rc\n")).toBe("a\nb\nc\n");
});

test.each([
  [0, 0],
  [1, 0],
  [2, 1],
  [4, 2],
])("offset %i stands on line %i", (offset, line) => {
  expect(lineAt("a\nb\nc", offset)).toBe(line);
});

test("a long run of white space before the passage is passed over at once", () => {
  const text = `${" ".repeat(200_000)}walnut and glue`;
  const found = passage({ snippet: " walnut", start: 5, marks: [{ start: 1, end: 7, kind: "word" }], matchStart: 6, matchEnd: 12 });

  expect(text.slice(locatePassage(text, found).start)).toBe("walnut and glue");
});
