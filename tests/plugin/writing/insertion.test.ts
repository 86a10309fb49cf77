import { describe, expect, test } from "vitest";
import { type CaretLines, blocksAt, linksAt } from "../../../plugin/writing/insertion";

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
