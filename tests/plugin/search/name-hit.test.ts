import { describe, expect, test } from "vitest";
import { type Mark } from "../../../plugin/protocol/messages";
import { marksOf, nameHit } from "../../../plugin/search/name-hit";
import { type NoteNames, nameEntry } from "../../../plugin/search/name-match";
import { parseNameQuery } from "../../../plugin/search/name-query";

const NOTE: NoteNames = {
  path: "Work/Boat.md",
  modifiedMs: 7,
  title: "The boat",
  aliases: ["Sloop"],
  headings: [
    { text: "The boat", level: 1, line: 0, start: 2 },
    { text: "Winter", level: 2, line: 4, start: 30 },
    { text: "Storing the sail", level: 3, line: 6, start: 60 },
    { text: "Summer", level: 2, line: 8, start: 90 },
  ],
  tags: ["#todo", "#sea/cold"],
};
const hitFor = (query: string): ReturnType<typeof nameHit> => nameHit(nameEntry(NOTE), parseNameQuery(query));
const marked = (text: string, marks: readonly Mark[]): string[] => marks.map(({ start, end }) => text.slice(start, end));

test("words of the name need no passage; it is shown by the name that matches", () => {
  const ofAlias = hitFor("sloop");

  expect([ofAlias.path, ofAlias.title, ofAlias.passages, ofAlias.modifiedMs]).toEqual(["Work/Boat.md", "Sloop", [], 7]);
  expect(marked(ofAlias.title, ofAlias.titleMarks)).toEqual(["Sloop"]);
});

test("words that are in a heading lead there, under the headings above it", () => {
  const { title, passages } = hitFor("sail boat");
  const [passage] = passages;

  expect(title).toBe("Boat");
  expect(passage?.headingPath).toEqual(["The boat", "Winter", "Storing the sail"]);
  expect(marked(passage?.snippet ?? "", passage?.marks ?? [])).toEqual(["sail"]);
  expect([passage?.line, passage?.matchStart, passage?.matchEnd]).toEqual([6, 72, 76]);
});

test("words that are in tags are shown there", () => {
  const { title, passages } = hitFor("cold");

  expect(title).toBe("The boat");
  expect(passages.map(({ snippet }) => snippet)).toEqual(["#sea/cold"]);
  expect(marked("#sea/cold", passages[0]?.marks ?? [])).toEqual(["cold"]);
});

describe("marks", () => {
  test.each<[string, readonly string[], string[]]>([
    ["Crème Brûlée", ["brulee", "cre"], ["Crè", "Brûlée"]],
    ["Rate limit, rate", ["rate"], ["Rate", "rate"]],
    ["straße", ["strass"], ["straß"]],
    ["aaaa", ["aaa", "aa"], ["aaaa"]],
    ["全文検索", ["検索"], ["検索"]],
    ["🙂 keel", ["keel"], ["keel"]],
  ])("%s for %j", (text, words, expected) => {
    expect(marked(text, marksOf(text, words))).toEqual(expected);
  });
});
