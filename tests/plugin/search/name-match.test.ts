import { describe, expect, test } from "vitest";
import { type NoteNames, nameEntry, scoreOf, strengthOf } from "../../../plugin/search/name-match";
import { parseNameQuery } from "../../../plugin/search/name-query";

function note(path: string, fields: Partial<NoteNames> & { readonly under?: readonly string[] } = {}): NoteNames {
  const headings = (fields.under ?? []).map((text, line) => ({ text, level: 2, line, start: line * 20 + 3 }));
  return { path, modifiedMs: 0, title: null, aliases: [], headings, tags: [], ...fields };
}

/** The paths that match, best first. */
function found(query: string, ...notes: readonly NoteNames[]): string[] {
  const parsed = parseNameQuery(query);
  return notes
    .map((one) => ({ path: one.path, score: scoreOf(nameEntry(one), parsed) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ path }) => path);
}

test("the whole title comes first, then its beginning, words in a title or alias, a heading, a tag", () => {
  const ranked = [
    note("Boat.md"),
    note("Boat engines and their care.md"),
    note("The old boat.md"),
    note("Steamboats.md"),
    note("Winter.md", { under: ["Boat"] }),
    note("Tea.md", { tags: ["#boat"] }),
  ];
  const steam = ranked.splice(3, 1); // inside a word: behind the beginning of one in a name, before headings

  expect(found("boat", ...[...ranked, ...steam].reverse())).toEqual(["Boat.md", "Boat engines and their care.md", "The old boat.md", "Steamboats.md", "Winter.md", "Tea.md"]);
});

test("an alias and a title count as the file name does", () => {
  expect(found("keel", note("20260101.md", { title: "Keel" }), note("a.md", { aliases: ["Keel"] }), note("My keel.md"))).toEqual(["a.md", "20260101.md", "My keel.md"]);
});

test("all words are needed, wherever each of them is", () => {
  const notes = [note("Boat.md", { under: ["Winter storage"], tags: ["#todo"] }), note("Boat trip.md")];

  expect(found("boat winter todo", ...notes)).toEqual(["Boat.md"]);
  expect(found("boat summer", ...notes)).toEqual([]);
});

describe("how a word is held", () => {
  test.each([
    ["rate limit", "limit", 3],
    ["rate limiting", "limit", 2],
    ["unlimited", "limit", 1],
    ["unlimited limit", "limit", 3],
    ["rate", "a", 0],
    ["a rate", "a", 3],
    ["全文検索エンジン", "検索", 3],
    ["検", "索", 0],
    ["v2-plan_b", "plan", 3],
  ])("%s holds %s: %i", (text, word, strength) => {
    expect(strengthOf(text, word)).toBe(strength);
  });
});

test("case and accents make no difference", () => {
  expect(found("CREME brulee", note("Crème Brûlée.md"))).toEqual(["Crème Brûlée.md"]);
});

describe("operators", () => {
  const notes = [note("Work/Plan.md", { tags: ["#idea/now"] }), note("Work/Old/Plan.md"), note("Home/Plan draft.md", { tags: ["#ideas"] })];

  test.each([
    ["plan folder:Work", ["Work/Plan.md", "Work/Old/Plan.md"]],
    ["folder:Work/Old", ["Work/Old/Plan.md"]],
    ["path:ome", ["Home/Plan draft.md"]],
    ["file:draft", ["Home/Plan draft.md"]],
    ["plan -draft #idea", ["Work/Plan.md"]],
    ["tag:ideas", ["Home/Plan draft.md"]],
    ["created:7d", []],
  ])("%s", (query, paths) => {
    expect(found(query, ...notes)).toEqual(paths);
  });
});
