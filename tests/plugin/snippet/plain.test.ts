import { describe, expect, test } from "vitest";
import { plainText } from "../../../plugin/snippet/plain";
import { type Mark } from "../../../plugin/protocol/messages";

const plain = (source: string): string => plainText(source, []).text;

/** What is marked of `source` once it is plain, where `words` are marked in it. */
function marked(source: string, ...words: readonly string[]): readonly string[] {
  const marks: Mark[] = words.map((word) => ({ kind: "word", start: source.indexOf(word), end: source.indexOf(word) + word.length }));
  const found = plainText(source, marks);
  return found.marks.map(({ start, end }) => found.text.slice(start, end));
}

describe("signs that are left out", () => {
  test.each([
    ["a **bold** and *slanted* and ***both*** word", "a bold and slanted and both word"],
    ["a __bold__ and _slanted_ word", "a bold and slanted word"],
    ["~~struck~~ and ==highlighted==", "struck and highlighted"],
    ["some `code` and ``a ` tick``", "some code and a ` tick"],
    ["[[Note]] and [[Folder/Note|the note]] and [[Note#Part]]", "Note and the note and Note › Part"],
    ["![[image.png]] and ![[image.png|a boat]]", "image.png and a boat"],
    ["![[notes/images/plan.png]] and ![[plan.png|300x200]]", "plan.png and plan.png"],
    ["a [link](https://example.com/a_(b)?c) here", "a link here"],
    ["a [**bold** link](x.md) and a [reference][1]", "a bold link and a reference"],
    ["an ![image](pic.png) here", "an image here"],
    ["see https://example.com/a/very/long/path?with=query today", "see example.com/… today"],
    ["see <https://example.com/long> today", "see example.com/… today"],
    ["a footnote[^1] here", "a footnote here"],
    ["x <svg width=\"10\"><path d=\"M0\"/></svg> y", "x y"],
    ["before <!-- a comment --> after %%hidden%% end", "before after end"],
    ["Fish &amp; chips&nbsp;today", "Fish & chips today"],
    ["an escaped \\*star\\*", "an escaped *star*"],
  ])("%s", (source, wanted) => {
    expect(plain(source)).toBe(wanted);
  });
});

describe("blocks", () => {
  test.each([
    ["## Heading\nText under it.", "Heading · Text under it."],
    ["> quoted\n> on two lines", "quoted · on two lines"],
    ["> [!note] Title\n> body", "Title · body"],
    ["- one\n- [ ] two\n* three", "one · two · three"],
    ["1. first\n2. second", "1. first · 2. second"],
    ["one paragraph\ngoes on", "one paragraph goes on"],
    ["one\n\ntwo", "one · two"],
    ["| bird | sound |\n|---|---|\n| heron | kroark |", "bird, sound · heron, kroark"],
    ["heron | kroark |\n| owl | hoo |", "heron, kroark · owl, hoo"],
    ["| heron | kroark |\n| owl | ho", "heron, kroark"],
    ["one `a | b` two", "one a | b two"],
    ["Nothing in this shop. #howto #workshop/glue\n#more\nend", "Nothing in this shop. · end"],
    ["It costs #5 at most", "It costs #5 at most"],
    ["above\n\n---\n\nbelow", "above · below"],
    ["```js\nconst a = b * c * d;\n```\nafter", "const a = b * c * d; · after"],
    ["let x = __init__;\n```\nafter it", "let x = __init__; · after it"],
    ["a line with an id ^abc123", "a line with an id"],
    ["[1]: https://example.com/there", "example.com/…"],
  ])("%j", (source, wanted) => {
    expect(plain(source)).toBe(wanted);
  });
});

describe("what is meant as it stands", () => {
  test.each(["2 * 3 * 4 = 24", "snake_case_name and _private", "5 > 3 and a < b", "#tag and C#", "[REDACTED:github-token]", "a|b", "x == y", "~ about", "List[int]"])("%s", (source) => {
    expect(plain(source)).toBe(source);
  });
});

describe("what the edge of a snippet cut", () => {
  test.each([
    ["bold** and plain", "bold and plain"],
    ["plain and **bold", "plain and bold"],
    ["tail]] of a link", "tail of a link"],
    ["start of [[a link", "start of a link"],
    ["start of [a link](https://example.org/whi", "start of a link"],
    ["label](https://example.com/long) there", "label there"],
    ["see <img src=\"a.png\" alt=\"cut", "see"],
  ])("%j", (source, wanted) => {
    expect(plain(source)).toBe(wanted);
  });
});

describe("marks", () => {
  test.each([
    ["stay on their words", "## A **capped** [[Retry|backoff]] with `jitter`", ["capped", "backoff", "jitter"], ["capped", "backoff", "jitter"]],
    ["of a word in bold cover the word alone", "a **bold** word", ["**bold**"], ["bold"]],
    ["of what is left out are left out", "a [link](hidden.md)", ["hidden"], []],
    ["across a line break cover the space between", "first\nsecond", ["first\nsecond"], ["first second"]],
    ["count UTF-16 code units", "👩‍👩‍👧 **é** rye", ["rye"], ["rye"]],
  ])("%s", (_, source, words, left) => {
    expect(marked(source, ...words)).toEqual(left);
  });

  test("of an address keep it readable", () => {
    expect(marked("see https://example.com/rye/loaf", "rye")).toEqual(["rye"]);
    expect(plainText("see https://example.com/rye/loaf", [{ kind: "word", start: 24, end: 27 }]).text).toBe("see example.com/rye/loaf");
  });
});

test("a hostile snippet keeps no sign of Markdown, and takes no time", () => {
  const hostile = ["[".repeat(500), "*".repeat(400), "<a ".repeat(200), "`".repeat(300), "![[".repeat(150), "](".repeat(200), "&amp;".repeat(100)];

  for (const source of hostile) expect(plain(source).length).toBeLessThanOrEqual(source.length);
});

test("every text that is plain already stays as it is", () => {
  const text = "Retry with a capped backoff, so that the client stays below the limit.";

  expect(plainText(text, [{ kind: "word", start: 0, end: 5 }])).toEqual({ text, marks: [{ kind: "word", start: 0, end: 5 }] });
});
