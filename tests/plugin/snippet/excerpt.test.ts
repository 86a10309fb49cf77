import { describe, expect, test } from "vitest";
import { type Mark } from "../../../plugin/protocol/messages";
import { DENSITIES, excerptOf, type Room, roomFor } from "../../../plugin/snippet/excerpt";
import { type PlainText } from "../../../plugin/snippet/plain";

describe("excerpt", () => {
  const ROOM: Room = { characters: 120, asked: 400 };

  /** The excerpt of a snippet in which { } stands around each marked word, with the same around each mark of it. */
  function excerpt(marked: string, room = ROOM): string {
    const snippet = marked.replace(/[{}]/g, "");
    const marks: Mark[] = [...marked.matchAll(/\{([^}]*)\}/g)].map((match, before) => {
      const start = match.index - 2 * before;
      return { kind: "word", start, end: start + (match[1] ?? "").length };
    });
    return drawn(excerptOf({ snippet, marks }, "Title", room));
  }

  function drawn({ text, marks }: PlainText): string {
    return [...marks].reverse().reduce((all, { start, end }) => `${all.slice(0, start)}{${all.slice(start, end)}}${all.slice(end)}`, text);
  }

  test("a snippet that fits stays as it is, without Markdown's signs", () => {
    expect(excerpt("Two {bellows} folds **rebuilt** by [[Ada|her]].")).toBe("Two {bellows} folds rebuilt by her.");
  });

  test("a mark beyond the lines that are shown is brought into them, at the start of a word", () => {
    expect(excerpt(`${"word ".repeat(40)}{bellows} leak`)).toBe(`… ${"word ".repeat(7)}{bellows} leak`);
  });

  test("where no word begins in front of a far mark, the mark comes first", () => {
    expect(excerpt(`${"x".repeat(160)}{bellows}`)).toBe("… {bellows}");
  });

  test("a first line that repeats the title is left out, with its marks", () => {
    expect(excerpt("Title\n\nTwo {bellows} folds rebuilt.")).toBe("Two {bellows} folds rebuilt.");
    expect(excerpt("# {Title}\n\nTwo bellows folds rebuilt.")).toBe("Two bellows folds rebuilt.");
  });

  test("any other first line stays, apart from the text below it", () => {
    expect(excerpt("## {Title} words\n\nTwo bellows.")).toBe("{Title} words · Two bellows.");
  });

  test("a text that is too long ends with a sentence that nearly fills the lines", () => {
    const first = `${"Seven words of one sentence stand here ".repeat(2).trim()}.`;

    expect(excerpt(`${first} ${"And another one that is far too long to fit. ".repeat(3)}`, { characters: 100, asked: 240 })).toBe(first);
  });

  test("a full stop that belongs to a word ends no sentence", () => {
    for (const shortened of ["e.g.", "z. B.", "Dr.", "approx.", "no. of"]) {
      const text = excerpt(`${"Nine short words ".repeat(4)}${shortened} Something ${"that goes on ".repeat(9)}`, { characters: 100, asked: 240 });

      expect(text).toMatch(/Something (that|goes|on| )*…$/u);
    }
  });

  test("a character of several parts is never cut", () => {
    const family = "\u{1F469}\u200D\u{1F469}\u200D\u{1F467}"; // eight units
    for (let width = 40; width < 56; width += 1) {
      const { text } = excerptOf({ snippet: family.repeat(20), marks: [] }, "Title", { characters: width, asked: 160 });

      expect(text.replace(/…$/u, "").replaceAll(family, "")).toBe("");
    }
  });

  test("without such a sentence it ends with a whole word and dots", () => {
    const text = excerpt(`{bellows} ${"and more words ".repeat(20)}`, { characters: 60, asked: 240 });

    expect(text).toMatch(/^\{bellows\} (and more words )*and( more( words)?)?…$/);
    expect(text.length).toBeLessThanOrEqual(63);
  });

  test("a snippet that was cut says so, one that ends with its passage does not", () => {
    expect(excerpt("a passage that goes on and", { characters: 120, asked: 30 })).toBe("a passage that goes on and…");
    expect(excerpt("a list item without a stop")).toBe("a list item without a stop");
  });

  test("no character is cut in two", () => {
    const text = excerpt("🎈".repeat(100), { characters: 51, asked: 120 });

    expect(encodeURIComponent(text)).toContain("%F0%9F%8E%88"); // throws where a surrogate stands alone
  });

  test("nothing separates the last block that fits from one that does not", () => {
    expect(excerpt(`- ${"one item ".repeat(5)}\n- ${"another ".repeat(20)}`, { characters: 50, asked: 120 })).toBe(`${"one item ".repeat(5).trim()}…`);
  });
});

describe("layout", () => {
  test("a wider pane and a roomier density show more, and ask for as much", () => {
    const [narrow, wide] = [roomFor(250, "normal"), roomFor(700, "normal")];

    expect(wide.characters).toBeGreaterThan(2 * narrow.characters);
    expect(wide.asked).toBeGreaterThan(narrow.asked);
    const chosen = DENSITIES.filter((density) => density !== "auto").map((density) => roomFor(300, density).characters);
    expect(chosen).toEqual([...chosen].sort((a, b) => a - b));
    expect(roomFor(300, "auto").characters).toBe(roomFor(300, "normal").characters);
  });

  test("more is asked for than is shown, as signs are taken out", () => {
    for (const width of [200, 300, 500]) expect(roomFor(width, "normal").asked).toBeGreaterThanOrEqual(roomFor(width, "normal").characters);
  });

  test("before the pane is laid out it counts as a sidebar", () => {
    expect(roomFor(0, "normal")).toEqual(roomFor(300, "normal"));
  });

  test("dragging a border by a few pixels asks for nothing new", () => {
    expect(roomFor(301, "normal").asked).toBe(roomFor(309, "normal").asked);
  });
});
