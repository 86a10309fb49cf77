import { expect, test } from "vitest";
import { type Mark } from "../../../plugin/protocol/messages";
import { excerptOf } from "../../../plugin/snippet/excerpt";

/** The excerpt of a snippet in which { } stands around each marked word. */
function excerpt(marked: string): string {
  const snippet = marked.replace(/[{}]/g, "");
  const marks: Mark[] = [...marked.matchAll(/\{([^}]*)\}/g)].map((match, before) => {
    const start = match.index - 2 * before;
    return { kind: "word", start, end: start + (match[1] ?? "").length };
  });
  const { text, marks: moved } = excerptOf({ snippet, marks }, "Title");
  return [...moved].reverse().reduce((all, { start, end }) => `${all.slice(0, start)}{${all.slice(start, end)}}${all.slice(end)}`, text);
}

test("a snippet whose mark is near its start stays as it is", () => {
  expect(excerpt("Two {bellows} folds rebuilt.")).toBe("Two {bellows} folds rebuilt.");
});

test("a mark far behind is brought near, at the start of a word", () => {
  const lead = "word ".repeat(40);
  const { text, marks } = excerptOf({ snippet: `${lead}bellows leak`, marks: [{ kind: "word", start: 200, end: 207 }] }, "Title");

  expect(text).toBe(`… ${"word ".repeat(7)}bellows leak`);
  expect(text.slice(marks[0]?.start, marks[0]?.end)).toBe("bellows");
});

test("where no word begins in front of a far mark, the mark comes first", () => {
  const snippet = `${"x".repeat(60)}bellows`;

  expect(excerptOf({ snippet, marks: [{ kind: "word", start: 60, end: 67 }] }, "Title").text).toBe("… bellows");
});

test("a link in front of a far mark is shown whole or not at all", () => {
  const lead = "word ".repeat(20);

  expect(excerpt(`${lead}[[Replace a leather valve]], [[Make hide glue]], the {bellows}`)).toBe("… [[Make hide glue]], the {bellows}");
});

test("a first line that repeats the title is left out, with its marks", () => {
  expect(excerpt("Title\n\nTwo {bellows} folds rebuilt.")).toBe("Two {bellows} folds rebuilt.");
  expect(excerpt("{Title}\n\nTwo bellows folds rebuilt.")).toBe("Two bellows folds rebuilt.");
});

test("any other first line stays, and so does a title with nothing behind it", () => {
  expect(excerpt("{Title} words\n\nTwo bellows")).toBe("{Title} words\n\nTwo bellows");
  expect(excerpt("{Title}")).toBe("{Title}");
});

test("a snippet without marks keeps its text", () => {
  expect(excerptOf({ snippet: "Light comes out where air does.", marks: [] }, "Title")).toEqual({ text: "Light comes out where air does.", marks: [] });
});
