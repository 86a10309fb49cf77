import { describe, expect, test } from "vitest";
import { blockquote, blocksAt, type CaretLines, linksAt, quotedLines } from "../../../plugin/writing/insertion";

describe("insertion", () => {
  /** The note with the insertion, which goes where the bar stands. */
  function written(note: string, insertion: (lines: CaretLines) => string): string {
    const at = note.indexOf("|");
    const lines = note.split("\n");
    const line = note.slice(0, at).split("\n").length - 1;
    const [before = "", after = ""] = (lines[line] ?? "").split("|");
    const text = insertion({ above: lines[line - 1] ?? null, before, after });
    return note.slice(0, at) + text + note.slice(at + 1);
  }

  const links = (...names: readonly string[]) => (lines: CaretLines) => linksAt(names.map((name) => `[[${name}]]`), lines);
  const blocks = (...texts: readonly string[]) => (lines: CaretLines) => blocksAt(texts, lines);

  describe("links", () => {
    test("one stands in the line", () => {
      expect(written("see | and", links("a"))).toBe("see [[a]] and");
    });

    test("several are a list", () => {
      expect(written("|", links("a", "b"))).toBe("- [[a]]\n- [[b]]");
      expect(written("see|", links("a", "b"))).toBe("see\n- [[a]]\n- [[b]]");
      expect(written("see |and", links("a", "b"))).toBe("see \n- [[a]]\n- [[b]]\nand");
      expect(written("  |", links("a", "b"))).toBe("  - [[a]]\n  - [[b]]");
    });

    test("several go on with an empty item's list", () => {
      expect(written("- x\n  * |", links("a", "b"))).toBe("- x\n  * [[a]]\n  * [[b]]");
      expect(written("- [x] |", links("a", "b"))).toBe("- [x] [[a]]\n- [ ] [[b]]");
      expect(written("> - |", links("a", "b"))).toBe("> - [[a]]\n> - [[b]]");
    });
  });

  describe("blocks", () => {
    test("stand between empty lines where there is text", () => {
      expect(written("one\n|\ntwo", blocks("> q"))).toBe("one\n\n> q\n\ntwo");
      expect(written("one|two", blocks("> q"))).toBe("one\n\n> q\n\ntwo");
      expect(written("one\n\n|\n\ntwo", blocks("> q", "> r"))).toBe("one\n\n> q\n\n> r\n\n\ntwo");
    });

    test("leave a line below to go on writing", () => {
      expect(written("|", blocks("> q"))).toBe("> q\n");
      expect(written("one|", blocks("> q"))).toBe("one\n\n> q\n");
    });
  });
});

describe("quote", () => {
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
});
