import { expect, test } from "vitest";
import { type Clock } from "../../../plugin/clock";
import { Emitter } from "../../../plugin/emitter";
import { NameIndex, type NoteNamesSource } from "../../../plugin/search/name-index";
import { type NoteNames } from "../../../plugin/search/name-match";

/** A vault in which reading the names of one note takes a millisecond. */
class Notes implements NoteNamesSource, Clock {
  readonly changed = new Emitter<string>();
  readonly read: string[] = [];
  pauses = 0;
  private timeMs = 0;

  constructor(public all: string[]) {}

  paths(): readonly string[] {
    return this.all;
  }

  namesOf(path: string): NoteNames | null {
    this.read.push(path);
    this.timeMs += 1;
    return this.all.includes(path) ? { path, modifiedMs: this.all.indexOf(path), title: null, aliases: [], headings: [], tags: [] } : null;
  }

  now(): number {
    return this.timeMs;
  }

  after(_delayMs: number, run: () => void): () => void {
    this.pauses += 1;
    queueMicrotask(run);
    return () => undefined;
  }
}

const never = (): boolean => false;

async function found(index: NameIndex, query: string): Promise<readonly string[] | undefined> {
  return (await index.search(query, 10, never))?.hits.map(({ path }) => path);
}

test("nothing is read before the first search, and each note once", async () => {
  const notes = new Notes(["Boat.md", "Tea.md"]);
  const index = new NameIndex(notes, notes);
  notes.changed.emit("Boat.md");
  const before = [...notes.read];

  expect(before).toEqual([]);
  expect(await found(index, "boat")).toEqual(["Boat.md"]);
  expect(await found(index, "tea")).toEqual(["Tea.md"]);
  expect(notes.read).toEqual(["Boat.md", "Tea.md"]);
});

test("a note that comes, changes or goes is read again, and no other", async () => {
  const notes = new Notes(["Boat.md", "Tea.md"]);
  const index = new NameIndex(notes, notes);
  await found(index, "boat");
  notes.all = ["Tea.md", "Boat house.md"];
  for (const path of ["Boat.md", "Boat house.md"]) notes.changed.emit(path);
  notes.read.length = 0;

  expect(await found(index, "boat")).toEqual(["Boat house.md"]);
  expect(notes.read).toEqual(["Boat.md", "Boat house.md"]);
});

test("the work goes in steps; a search that is cancelled leaves the rest to the next", async () => {
  const notes = new Notes(Array.from({ length: 100 }, (_, at) => `Note ${at}.md`));
  const index = new NameIndex(notes, notes);

  expect(await index.search("note", 10, () => true)).toBeNull();
  expect(notes.read.length).toBeLessThan(20);
  expect((await index.search("note", 10, never))?.total).toBe(100);
  expect(notes.read).toHaveLength(100);
  expect(notes.pauses).toBeGreaterThan(10);
});

test("the best come first, newer ones before older; those beyond the limit are counted", async () => {
  const notes = new Notes(["Old boat.md", "Boat.md", "New boat.md"]);
  const answer = await new NameIndex(notes, notes).search("boat created:7d", 2, never);

  expect(answer?.hits.map(({ path }) => path)).toEqual(["Boat.md", "New boat.md"]);
  expect([answer?.total, answer?.ignored]).toEqual([3, ["created:7d"]]);
});

test("what was dropped is read anew", async () => {
  const notes = new Notes(["Boat.md"]);
  const index = new NameIndex(notes, notes);
  await found(index, "boat");
  index.drop();

  expect(await found(index, "boat")).toEqual(["Boat.md"]);
  expect(notes.read).toEqual(["Boat.md", "Boat.md"]);
});
