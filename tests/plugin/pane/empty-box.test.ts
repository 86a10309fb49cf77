import { expect, test } from "vitest";
import { type Offers, emptyBoxRows } from "../../../plugin/pane/empty-box";
import { isSelectable } from "../../../plugin/pane/rows";
import { ROW_OPTIONS, answer, hit } from "../builders";

const NOTHING: Offers = { history: [], saved: [], examples: [], related: null };
const RELATED = { name: "Glue", answer: answer({ query: "Glue.md", hits: ["a", "b", "c", "d", "e", "f", "g"].map((name) => hit(`${name}.md`, { why: null })), mentionsFrom: 6 }) };
const keys = (offers: Partial<Offers>): string[] => emptyBoxRows({ ...NOTHING, ...offers }, ROW_OPTIONS).map(({ key }) => key);

test("saved searches stand first, then recent ones, examples and related notes", () => {
  expect(keys({ history: ["keel"], saved: ["glue"], examples: ["What do I know about oil?"], related: RELATED })).toEqual([
    ...["divider saved", "saved glue", "divider recent", "recent keel", "divider examples", "example What do I know about oil?"],
    ...["divider related", "a.md", "b.md", "c.md", "d.md", "e.md", "more related"],
  ]);
});

test("who has searched three times is offered no examples, nor is a query that was searched for", () => {
  expect(keys({ history: ["a", "b", "c"], examples: ["What is oil?"] })).not.toContain("example What is oil?");
  expect(keys({ history: ["What is oil?"], examples: ["What is oil?", "What is glue?"] })).toEqual(["divider recent", "recent What is oil?", "divider examples", "example What is glue?"]);
});

test("related notes wait until it is known which examples stand above them", () => {
  expect(keys({ examples: null, related: RELATED })).toEqual([]);
  expect(keys({ examples: [], related: RELATED })[0]).toBe("divider related");
  expect(keys({ examples: null, history: ["a", "b", "c"], related: RELATED })).toContain("more related");
});

test("a note without related ones has no heading", () => {
  expect(keys({ related: { name: "Alone", answer: answer({ hits: [] }) } })).toEqual([]);
});

test("all rows but headings can be selected", () => {
  const rows = emptyBoxRows({ ...NOTHING, examples: ["What is oil?"], related: RELATED }, ROW_OPTIONS);

  expect(rows.filter((row) => !isSelectable(row)).map(({ kind }) => kind)).toEqual(["divider", "divider"]);
});
