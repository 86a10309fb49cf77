import { expect, test } from "vitest";
import { type Mark } from "../../../plugin/protocol/messages";
import { excerptOf } from "../../../plugin/ui/excerpt";

/** The excerpt of a snippet in which { } stands around each marked word. */
function excerpt(marked: string, ...headingPath: readonly string[]): string {
  const snippet = marked.replace(/[{}]/g, "");
  const marks: Mark[] = [...marked.matchAll(/\{([^}]*)\}/g)].map((match, before) => {
    const start = match.index - 2 * before;
    return { kind: "word", start, end: start + (match[1] ?? "").length };
  });
  const { text, marks: moved } = excerptOf({ snippet, marks, headingPath });
  return [...moved].reverse().reduce((all, { start, end }) => `${all.slice(0, start)}{${all.slice(start, end)}}${all.slice(end)}`, text);
}

test("a snippet whose mark is near its start stays as it is", () => {
  expect(excerpt("Two {bellows} folds rebuilt.")).toBe("Two {bellows} folds rebuilt.");
});

test("the end of the sentence before is left out", () => {
  expect(excerpt(". The {bellows} leak")).toBe("The {bellows} leak");
});

test.each(["## ", "- ", "> ", "- [x] ", "| "])("the Markdown sign %j in front is left out", (sign) => {
  const snippet = `${sign}bellows leak`;
  const { text, marks } = excerptOf({ headingPath: [], snippet, marks: [{ kind: "word", start: sign.length, end: sign.length + 7 }] });

  expect(text.slice(marks[0]?.start, marks[0]?.end)).toBe("bellows");
  expect(text).toBe("bellows leak");
});

test("tags, negative numbers and bold text are words and stay", () => {
  expect(excerpt("#bellows {leak}")).toBe("#bellows {leak}");
  expect(excerpt("-5 degrees {outside}")).toBe("-5 degrees {outside}");
  expect(excerpt("**Lin** {builds} sheng")).toBe("**Lin** {builds} sheng");
});

test("a mark far behind is brought near, at the start of a word", () => {
  const lead = "word ".repeat(40);
  const { text, marks } = excerptOf({ headingPath: [], snippet: `${lead}bellows leak`, marks: [{ kind: "word", start: 200, end: 207 }] });

  expect(text).toBe(`… ${"word ".repeat(7)}bellows leak`);
  expect(text.slice(marks[0]?.start, marks[0]?.end)).toBe("bellows");
});

test("where no word begins in front of a far mark, the mark comes first", () => {
  const snippet = `${"x".repeat(60)}bellows`;

  expect(excerptOf({ headingPath: [], snippet, marks: [{ kind: "word", start: 60, end: 67 }] }).text).toBe("… bellows");
});

test("a sentence that begins with a sign is marked from its first word on", () => {
  const { text, marks } = excerptOf({ headingPath: [], snippet: "# Lying awake\n\nSince", marks: [{ kind: "sentence", start: 0, end: 13 }] });

  expect(text.slice(marks[0]?.start, marks[0]?.end)).toBe("Lying awake");
});

test("a sentence in a list is marked without the item's sign", () => {
  const { text, marks } = excerptOf({ headingPath: [], snippet: "Chalk\n- brass bar\n- felt", marks: [{ kind: "sentence", start: 6, end: 17 }] });

  expect(text.slice(marks[0]?.start, marks[0]?.end)).toBe("brass bar");
});

test("its own heading, which stands above it, is left out when more is marked", () => {
  expect(excerpt("Patch a {bellows} fold\n\nFind the {leak} first", "Patch a bellows fold")).toBe("Find the {leak} first");
  expect(excerpt("## Test\nHang the {bellows} up", "Howto", "Test")).toBe("Hang the {bellows} up");
});

test("its own heading stays when nothing else is marked", () => {
  expect(excerpt("Patch a {bellows} fold\n\nFind it", "Patch a bellows fold")).toBe("Patch a {bellows} fold\n\nFind it");
});

test("a link in front of a far mark is shown whole or not at all", () => {
  const lead = "word ".repeat(20);

  expect(excerpt(`${lead}[[Replace a leather valve]], [[Make hide glue]], the {bellows}`)).toBe("… [[Make hide glue]], the {bellows}");
});

test("a snippet of signs alone is shown as it is", () => {
  expect(excerptOf({ headingPath: [], snippet: "- ", marks: [] }).text).toBe("- ");
});

test("a snippet without marks keeps its text", () => {
  expect(excerptOf({ headingPath: [], snippet: "Light comes out where air does.", marks: [] })).toEqual({ text: "Light comes out where air does.", marks: [] });
});
