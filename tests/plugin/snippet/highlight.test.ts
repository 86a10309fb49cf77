import { expect, test } from "vitest";
import { type Mark } from "../../../plugin/protocol/messages";
import { textRuns } from "../../../plugin/snippet/highlight";

const word = (start: number, end: number): Mark => ({ start, end, kind: "word" });
const sentence = (start: number, end: number): Mark => ({ start, end, kind: "sentence" });

/** Words in [ ], sentences in { }. */
function drawn(text: string, ...marks: readonly Mark[]): string {
  return textRuns(text, marks)
    .map((part) => (part.isWord ? `[${part.text}]` : part.text))
    .map((part, index) => (textRuns(text, marks)[index]?.isSentence ? `{${part}}` : part))
    .join("");
}

test("a text without marks is one piece", () => {
  expect(textRuns("retry", [])).toEqual([{ text: "retry", isWord: false, isSentence: false }]);
});

test("an empty text has no pieces", () => {
  expect(textRuns("", [word(0, 1)])).toEqual([]);
});

test("words are cut out", () => {
  expect(drawn("retry with backoff", word(0, 5), word(11, 18))).toBe("[retry] with [backoff]");
});

test("a word within a sentence is both", () => {
  expect(drawn("Retry with backoff.", sentence(0, 19), word(0, 5))).toBe("{[Retry]}{ with backoff.}");
});

test("marks that overlap cover what either covers", () => {
  expect(textRuns("abcdef", [word(0, 4), word(2, 6)]).every(({ isWord }) => isWord)).toBe(true);
});

test("marks outside the text, empty or turned around are nothing", () => {
  expect(drawn("abc", word(5, 9), word(2, 2), word(3, 1), word(-4, -1))).toBe("abc");
});

test("offsets count UTF-16 code units, as the wire does", () => {
  expect(drawn("😀 note", word(3, 7))).toBe("😀 [note]");
});

test("a mark that would halve a character takes it whole", () => {
  expect(drawn("a😀b", word(2, 3))).toBe("a[😀]b");
  expect(drawn("a😀b", word(0, 2))).toBe("[a😀]b");
});

test("whatever the marks, the pieces are the text again, and no character is halved", () => {
  const text = "Ünï 😀👩‍👩‍👧 日本語 e\u0301 end";
  for (let start = -1; start <= text.length + 1; start += 1) {
    for (let end = -1; end <= text.length + 1; end += 1) {
      const pieces = textRuns(text, [word(start, end), sentence(end, start + 4)]);

      expect(pieces.map((piece) => piece.text).join("")).toBe(text);
      for (const piece of pieces) expect(piece.text).not.toMatch(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/);
    }
  }
});
