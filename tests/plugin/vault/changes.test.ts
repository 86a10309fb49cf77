import { describe, expect, test } from "vitest";
import { type Change } from "../../../plugin/protocol/messages";
import { ChangeQueue } from "../../../plugin/vault/changes";

const created = (path: string): Change => ({ kind: "created", path });
const modified = (path: string): Change => ({ kind: "modified", path });
const deleted = (path: string): Change => ({ kind: "deleted", path });
const renamed = (oldPath: string, path: string): Change => ({ kind: "renamed", path, oldPath });

function coalesced(...changes: readonly Change[]): readonly Change[] {
  const queue = new ChangeQueue();
  for (const change of changes) queue.add(change);
  return queue.takeBatch(Infinity);
}

describe("one note", () => {
  test.each<[string, readonly Change[], readonly Change[]]>([
    ["many saves are one", [modified("a.md"), modified("a.md"), modified("a.md")], [modified("a.md")]],
    ["a note that is created and saved is created", [created("a.md"), modified("a.md")], [created("a.md")]],
    ["a deletion beats the saves before it", [modified("a.md"), deleted("a.md")], [deleted("a.md")]],
    ["what is created and deleted was never there", [created("a.md"), modified("a.md"), deleted("a.md")], []],
    ["deleted and created again is replaced", [deleted("a.md"), created("a.md")], [modified("a.md")]],
    ["replaced and then deleted is deleted", [deleted("a.md"), created("a.md"), deleted("a.md")], [deleted("a.md")]],
  ])("%s", (_, changes, expected) => {
    expect(coalesced(...changes)).toEqual(expected);
  });
});

describe("renames", () => {
  test.each<[string, readonly Change[], readonly Change[]]>([
    ["a chain is one rename", [renamed("a.md", "b.md"), renamed("b.md", "c.md")], [renamed("a.md", "c.md")]],
    ["there and back again is nothing", [renamed("a.md", "b.md"), renamed("b.md", "a.md")], []],
    ["a save before the rename is reported under the new name", [modified("a.md"), renamed("a.md", "b.md")], [renamed("a.md", "b.md"), modified("b.md")]],
    ["a new note that is named at once is created under its name", [created("Untitled.md"), renamed("Untitled.md", "Plan.md")], [created("Plan.md")]],
    ["renamed and deleted is a deletion of the old name", [renamed("a.md", "b.md"), deleted("b.md")], [deleted("a.md")]],
    ["two notes that swap names keep all three steps", [renamed("a.md", "t.md"), renamed("b.md", "a.md"), renamed("t.md", "b.md")], [renamed("a.md", "t.md"), renamed("b.md", "a.md"), renamed("t.md", "b.md")]],
    ["a deletion takes the place of its rename, before the name is used again", [renamed("x.md", "p.md"), renamed("y.md", "x.md"), deleted("p.md")], [deleted("x.md"), renamed("y.md", "x.md")]],
    ["a name that is free again can be taken by a new note", [renamed("a.md", "b.md"), created("a.md")], [renamed("a.md", "b.md"), created("a.md")]],
    ["a note moved over another tells the deletion first", [deleted("b.md"), renamed("a.md", "b.md")], [deleted("b.md"), renamed("a.md", "b.md")]],
  ])("%s", (_, changes, expected) => {
    expect(coalesced(...changes)).toEqual(expected);
  });
});

describe("folders", () => {
  test.each<[string, readonly Change[], readonly Change[]]>([
    ["a folder's move covers the moves of its files, reported after it", [renamed("F", "G"), renamed("F/a.md", "G/a.md"), renamed("F/b.md", "G/b.md")], [renamed("F", "G")]],
    ["and reported before it", [renamed("F/a.md", "G/a.md"), renamed("F/b.md", "G/b.md"), renamed("F", "G")], [renamed("F", "G")]],
    ["saves below a moved folder are told under the new path", [modified("F/a.md"), renamed("F", "G")], [renamed("F", "G"), modified("G/a.md")]],
    ["a folder's deletion stands for those below it, before and after", [deleted("F/a.md"), modified("F/b.md"), deleted("F"), deleted("F/b.md")], [deleted("F")]],
    ["a note moved out of a folder survives the folder's deletion", [renamed("F/a.md", "a.md"), deleted("F")], [renamed("F/a.md", "a.md"), deleted("F")]],
    ["a deletion below a folder that moved later is not undone by a new note of that name", [deleted("F/a.md"), renamed("F", "G"), created("F/a.md")], [deleted("F/a.md"), renamed("F", "G"), created("F/a.md")]],
    ["a folder whose name begins like another's is left alone", [modified("Work2/a.md"), renamed("Work", "Jobs")], [renamed("Work", "Jobs"), modified("Work2/a.md")]],
  ])("%s", (_, changes, expected) => {
    expect(coalesced(...changes)).toEqual(expected);
  });
});

describe("batches", () => {
  test("a limit leaves the rest for the next", () => {
    const queue = new ChangeQueue();
    for (const path of ["a.md", "b.md", "c.md"]) queue.add(modified(path));

    expect(queue.takeBatch(2)).toEqual([modified("a.md"), modified("b.md")]);
    expect(queue.takeBatch(2)).toEqual([modified("c.md")]);
    expect(queue.isEmpty).toBe(true);
  });

  test("a failed batch goes back in front", () => {
    const queue = new ChangeQueue();
    queue.add(renamed("a.md", "b.md"));
    const batch = queue.takeBatch(Infinity);
    queue.add(renamed("b.md", "c.md"));
    queue.putBack(batch);

    // Not folded into one: the first may have been applied, and then nothing is left under its old name.
    expect(queue.takeBatch(Infinity)).toEqual([renamed("a.md", "b.md"), renamed("b.md", "c.md")]);
  });

  test("a failed batch does not bring back what was deleted meanwhile", () => {
    const queue = new ChangeQueue();
    queue.add(created("a.md"));
    const batch = queue.takeBatch(Infinity);
    queue.add(deleted("a.md"));
    queue.putBack(batch);

    // The deletion is told even of a new note: the batch may have arrived although its answer did not.
    expect(queue.takeBatch(Infinity)).toEqual([deleted("a.md")]);
  });

  test("ten thousand renames are gathered without comparing each with each", () => {
    const queue = new ChangeQueue();
    for (let index = 0; index < 10_000; index += 1) queue.add(renamed(`old/${index}.md`, `new/${index}.md`));

    expect(queue.takeBatch(Infinity)).toHaveLength(10_000);
  });
});

/** The oracle: what a list of changes does to a vault in which each note has an identity. */
function apply(changes: readonly Change[], vault: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const notes = new Map(vault);
  for (const { kind, path, oldPath } of changes) {
    if (kind === "deleted") notes.delete(path);
    if (kind === "created") notes.set(path, `new ${path}`);
    if (kind === "renamed" && oldPath != null) {
      const identity = notes.get(oldPath);
      notes.delete(oldPath);
      if (identity !== undefined) notes.set(path, identity);
    }
  }
  return notes;
}

/** Deterministic, so that a failure can be run again. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** Changes as a vault can really go through them. */
function randomHistory(seed: number, start: ReadonlyMap<string, string>): Change[] {
  const random = randomNumbers(seed);
  const names = ["a.md", "b.md", "c.md", "d.md", "e.md"];
  let notes = start;
  const changes: Change[] = [];
  for (let step = 0; step < 12; step += 1) {
    const here = names.filter((name) => notes.has(name));
    const free = names.filter((name) => !notes.has(name));
    const from = here[random(here.length)];
    const to = free[random(free.length)];
    const options = [from && modified(from), from && deleted(from), to && created(to), from && to && renamed(from, to)];
    const change = options[random(options.length)];
    if (!change) continue;
    changes.push(change);
    notes = apply([change], notes);
  }
  return changes;
}

test("whatever happened, the coalesced changes leave the same notes in the same places", () => {
  const start = new Map([["a.md", "1"], ["b.md", "2"], ["c.md", "3"]]);
  for (let seed = 1; seed <= 2_000; seed += 1) {
    const history = randomHistory(seed, start);
    const short = coalesced(...history);
    const expected = apply(history, start);
    const actual = apply(short, start);

    expect([...actual.keys()].sort(), JSON.stringify({ seed, history, short })).toEqual([...expected.keys()].sort());
    // A note whose identity the short form does not carry over is at least told to be read again.
    const reread = new Set(short.filter(({ kind }) => kind !== "deleted").map(({ path }) => path));
    for (const [path, identity] of expected) {
      if (actual.get(path) !== identity) expect(reread, JSON.stringify({ seed, history, short })).toContain(path);
    }
    expect(short.length).toBeLessThanOrEqual(history.length + 1);
  }
});
