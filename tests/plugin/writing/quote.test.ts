import { describe, expect, test } from "vitest";
import { blockquote, quotedLines } from "../../../plugin/writing/quote";

/** The lines that are quoted for the first occurrence of each word. */
function quoted(text: string, ...words: readonly string[]): readonly string[] {
  return quotedLines(text, words.map((word) => ({ start: text.indexOf(word), end: text.indexOf(word) + word.length })));
}

describe("what is quoted", () => {
  test("is the paragraph of the match, without its heading and its neighbours", () => {
    expect(quoted("## Backoff\nRetry with\ncapped backoff.\n\nNext.", "capped")).toEqual(["Retry with", "capped backoff."]);
  });

  test("is everything from the first match to the last", () => {
    expect(quoted("One retry.\n\nTwo.\n\nThree backoff.\n\nFour.", "retry", "backoff")).toEqual(["One retry.", "", "Two.", "", "Three backoff."]);
  });

  test("is a fenced block as a whole, empty lines and number signs included", () => {
    const code = ["```sh", "# install", "", "  uv tool", "```"];

    expect(quoted(["Text", ...code, "After"].join("\n"), "uv")).toEqual(code);
  });

  test("is a fenced block in which another kind of fence stands", () => {
    const code = ["~~~md", "```", "keel", "```", "~~~"];

    expect(quoted([...code, "After"].join("\n"), "keel")).toEqual(code);
  });

  test("has no block id, no common indentation and no quotation signs of its own", () => {
    expect(quoted("  - keel\n    - paint ^ab12", "keel")).toEqual(["- keel", "  - paint"]);
    expect(quoted("> keel\n>\n> paint", "keel", "paint")).toEqual(["keel", "", "paint"]);
  });

  test("keeps what looks like a block id in code", () => {
    expect(quoted("```\nx ^2\n```", "x")).toEqual(["```", "x ^2", "```"]);
  });

  test("is cut at sentences where a paragraph is very long", () => {
    const text = `${"A sentence of filling. ".repeat(200)}The keel was painted. ${"More of filling. ".repeat(200)}`;
    const [line = ""] = quoted(text, "keel");

    expect(line).toMatch(/^… .*The keel was painted\..* …$/u);
    expect(line.length).toBeLessThan(1_100);
  });

  test("is some lines in fences of their own where a fenced block is very long", () => {
    const lines = quoted(["```py", ...Array.from({ length: 400 }, (_, at) => `line_${at} = ${at}`), "```"].join("\n"), "line_200 ");

    expect([lines[0], lines.at(-1), lines.length]).toEqual(["```py", "```", 19]);
    expect(lines).toContain("line_200 = 200");
  });

  test("leaves out a match that is far away from the first", () => {
    expect(quoted(`retry now\n\n${"filling\n\n".repeat(400)}backoff`, "retry", "backoff")).toEqual(["retry now"]);
  });
});

test("a quotation ends with its source", () => {
  expect(blockquote(["```", "", "x", "```"], "[[A#B]]")).toBe("> ```\n>\n> x\n> ```\n>\n> — [[A#B]]");
  expect(blockquote([], "[[A]]")).toBe("> — [[A]]");
});
