import { type App, type CachedMetadata, type Component, TFile } from "obsidian";
import { beforeEach, describe, expect, test } from "vitest";
import { type Clock } from "../../../plugin/clock";
import { NoteNames } from "../../../plugin/vault/note-names";

type Listener = (...args: unknown[]) => void;

let caches: Record<string, unknown>;
let listeners: [string, Listener][];
let timeMs: number;
let pauses: number;
let names: NoteNames;

/** Each look at the time costs a millisecond. */
const clock: Clock = {
  now: () => (timeMs += 1),
  after: (_delayMs, run) => {
    pauses += 1;
    queueMicrotask(run);
    return () => undefined;
  },
};

beforeEach(() => {
  [caches, listeners, timeMs, pauses] = [{}, [], 0, 0];
  const on = (name: string, run: Listener): object => {
    listeners.push([name, run]);
    return {};
  };
  const file = (path: string, at: number): object => Object.assign(Object.create(TFile.prototype) as object, { path, basename: path.replace(/^.*\/|\.md$/g, ""), stat: { mtime: at } });
  const app = { vault: { on, getMarkdownFiles: () => Object.keys(caches).map(file) }, metadataCache: { on, getFileCache: ({ path }: TFile) => caches[path] } };
  names = new NoteNames(app as unknown as App, clock);
});

const never = (): boolean => false;
const search = (query: string): ReturnType<NoteNames["search"]> => names.search(query, 10, never);
const found = async (query: string): Promise<unknown> => (await search(query))?.hits.map(({ path }) => path);
const heading = (text: string, level: number, line: number, offset: number): NonNullable<CachedMetadata["headings"]>[number] => ({
  heading: text,
  level,
  position: { start: { line, col: 0, offset }, end: { line, col: 0, offset } },
});

test.each(["restricted", "Sensitive", "unknown", ["internal", "secret"]])("a note of class %s is never found", async (sensitivity) => {
  caches["Diagnosis.md"] = { frontmatter: { Sensitivity: sensitivity } };
  caches["Diagnosis of a boat.md"] = { frontmatter: { sensitivity: " Internal" } };
  caches["Diagnosis of a car.md"] = { frontmatter: { sensitivity: null } };

  expect(await found("diagnosis")).toEqual(["Diagnosis of a car.md", "Diagnosis of a boat.md"]);
});

describe("a note", () => {
  beforeEach(() => {
    caches["Work/Boat.md"] = {
      frontmatter: { title: " The boat ", aliases: ["Sloop"] },
      headings: [heading("The boat", 1, 0, 0), heading("Winter", 2, 4, 28), heading("Storing the sail", 3, 6, 56), heading("Summer", 2, 8, 90)],
      tags: [{ tag: "#todo" }, { tag: "#sea/cold" }],
    };
  });

  test("is shown by the name that matches, which needs no passage", async () => {
    const [hit] = (await search("sloop"))?.hits ?? [];

    expect([hit?.path, hit?.title, hit?.titleMarks, hit?.passages]).toEqual(["Work/Boat.md", "Sloop", [{ start: 0, end: 5, kind: "word" }], []]);
  });

  test("leads to the heading that has the other words, under the headings above it", async () => {
    const [hit] = (await search("sail boat"))?.hits ?? [];
    const [passage] = hit?.passages ?? [];

    expect(hit?.title).toBe("Boat");
    expect(passage?.headingPath).toEqual(["The boat", "Winter", "Storing the sail"]);
    expect(passage?.marks.map(({ start, end }) => passage.snippet.slice(start, end))).toEqual(["sail"]);
    expect([passage?.line, passage?.matchStart, passage?.matchEnd]).toEqual([6, 72, 76]);
  });

  test("is shown with the tags that have the other words, and by its title", async () => {
    const [hit] = (await search("cold"))?.hits ?? [];

    expect([hit?.title, hit?.passages[0]?.snippet, hit?.tags]).toEqual(["The boat", "#sea/cold", ["todo", "sea/cold"]]);
  });

  test("without all words is not found; what only the engine understands is left out and named", async () => {
    expect(await found("boat harbour")).toEqual([]);
    expect((await search('boat created:7d -sloop [status:"a b"] /v\\d+/ (a OR'))?.ignored).toEqual(["created:7d", "-sloop", '[status:"a b"]', "/v\\d+/", "(", "OR"]);
    expect(await found("tag:#todo")).toEqual([]);
    expect(await found("#todo http://")).toEqual([]);
  });
});

test.each([
  ["how to", ["How to.md"]],
  ["hub", ["GitHub.md"]],
  ["tub", []],
  ["ruct", ["Constructors to show.md"]],
  ["索", ["検索.md"]],
])("a short word is at the beginning of a word or of a part of one, except in scripts without spaces: %s", async (query, wanted) => {
  for (const path of ["Constructors to show.md", "How to.md", "GitHub.md", "検索.md"]) caches[path] = {};

  expect(await found(query)).toEqual(wanted);
});

test("of a short word, nothing is marked within another word", async () => {
  caches["Constructors to show.md"] = {};

  expect((await search("to"))?.hits[0]?.titleMarks).toEqual([{ start: 13, end: 15, kind: "word" }]);
});

test("a note that is not in the cache yet has its file name; the path is as the engine has it", async () => {
  caches["Cafe\u0301.md"] = null;

  expect(await found("caf")).toEqual(["Caf\u00e9.md"]);
});

test("an equal name comes first, then one that begins so, one with all words, and headings; newer before older", async () => {
  for (const path of ["My tea.md", "Kitchen.md", "Tea house.md", "Old tea.md", "Tea.md"]) caches[path] = { headings: [heading("Tea", 2, 0, 0)] };
  const answer = await names.search("tea", 4, never);

  expect(answer?.hits.map(({ path }) => path)).toEqual(["Tea.md", "Tea house.md", "Old tea.md", "My tea.md"]);
  expect(answer?.total).toBe(5);
});

test("the work goes in steps, between which it can be cancelled", async () => {
  for (let at = 0; at < 100; at += 1) caches[`Note ${at}.md`] = null;

  expect(await names.search("note", 10, () => true)).toBeNull();
  expect(pauses).toBe(1);
  expect((await search("note"))?.total).toBe(100);
  expect(pauses).toBeGreaterThan(10);
});

test("a long query with unclosed operators is read at once", async () => {
  caches["a.md"] = null;
  const before = performance.now();
  for (const piece of ["/\\a", "[", "a-", '"', "-("]) await search(piece.repeat(2_000));

  expect(performance.now() - before).toBeLessThan(2_000);
});

test("a note that is new, changed, renamed or gone is announced", () => {
  let count = 0;
  names.changed.listen(() => { count += 1; });
  names.watch({ registerEvent: () => undefined } as unknown as Component);
  for (const [, run] of listeners) run({ path: "a.md" }, "b.md");

  expect([listeners.map(([name]) => name), count]).toEqual([["changed", "create", "delete", "rename"], 4]);
});
