import { describe, expect, test } from "vitest";
import { type Row, answerRows } from "../../../plugin/pane/rows";
import { type Selection, NOTHING_SELECTED, extended, moved, rangedTo, selectedAt, settled, toggled } from "../../../plugin/pane/selection";
import { ROW_OPTIONS, answer, hit, passage } from "../builders";

const rows = (...paths: readonly string[]): readonly Row[] => answerRows(answer({ hits: paths.map((path) => hit(path)) }), ROW_OPTIONS);
const pinned = (key: string): Selection => selectedAt(key);
const free = (key: string): Selection => ({ ...NOTHING_SELECTED, key });

describe("moving", () => {
  test("goes by rows and stops at the ends", () => {
    const three = rows("a.md", "b.md", "c.md");

    expect(moved(pinned("a.md"), three, 1).key).toBe("b.md");
    expect(moved(pinned("a.md"), three, -1).key).toBe("a.md");
    expect(moved(pinned("b.md"), three, 5).key).toBe("c.md");
  });

  test("without rows selects nothing", () => {
    expect(moved(NOTHING_SELECTED, [], 1).key).toBeNull();
  });
});

describe("when rows change, the selection", () => {
  test("stays on its row in another order", () => {
    expect(settled(pinned("b.md"), rows("a.md", "b.md"), rows("c.md", "b.md")).key).toBe("b.md");
  });

  test("goes from a passage that disappears to its note", () => {
    const hits = [hit("new.md"), hit("a.md", { furtherPassages: 1 })];
    const further = new Map([["a.md", { kind: "unfolded", passages: [passage({ start: 50 })] } as const]]);

    expect(settled(pinned("a.md#50"), answerRows(answer({ hits }), { ...ROW_OPTIONS, further }), answerRows(answer({ hits }), ROW_OPTIONS)).key).toBe("a.md");
  });

  test("that nobody chose belongs to the first row, whichever that is", () => {
    expect(settled(free("a.md"), rows("a.md"), rows("new.md", "a.md"))).toEqual(free("new.md"));
  });

  test("goes from a row that led to more to the first of them", () => {
    const before: readonly Row[] = [...rows("a.md"), { kind: "more", key: "more", what: "hits" }];

    expect(settled(pinned("more"), before, rows("a.md", "b.md", "c.md")).key).toBe("b.md");
  });

  test("goes to the first when its row is gone", () => {
    expect(settled(pinned("b.md"), rows("a.md", "b.md"), rows("x.md")).key).toBe("x.md");
    expect(settled(pinned("b.md"), rows("b.md"), []).key).toBeNull();
  });
});

describe("choosing", () => {
  const chosenOf = ({ chosen }: Selection): string[] => [...chosen];
  const four = rows("a.md", "b.md", "c.md", "d.md");

  test("by moving takes every row on the way, and gives it back", () => {
    const three = extended(extended(pinned("b.md"), four, 1), four, 1);

    expect([three.key, ...chosenOf(three)]).toEqual(["d.md", "b.md", "c.md", "d.md"]);
    expect(chosenOf(extended(three, four, -1))).toEqual(["b.md", "c.md"]);
    expect(chosenOf(extended(extended(extended(three, four, -1), four, -1), four, -1))).toEqual(["a.md", "b.md"]);
  });

  test("passes over rows that are no places", () => {
    const before: readonly Row[] = [...rows("a.md"), { kind: "create", key: "create", name: "x" }];

    expect(extended(pinned("a.md"), before, 1)).toMatchObject({ key: "a.md" });
    expect(toggled(pinned("a.md"), before, "create").chosen.size).toBe(0);
  });

  test("a range goes from where it began", () => {
    expect(chosenOf(rangedTo(toggled(NOTHING_SELECTED, four, "c.md"), four, "a.md"))).toEqual(["a.md", "b.md", "c.md"]);
    expect(rangedTo(pinned("a.md"), four, "z.md")).toEqual(pinned("a.md"));
  });

  test("one by one adds and takes away", () => {
    const two = toggled(toggled(NOTHING_SELECTED, four, "a.md"), four, "d.md");

    expect(chosenOf(two)).toEqual(["a.md", "d.md"]);
    expect(chosenOf(toggled(two, four, "a.md"))).toEqual(["d.md"]);
  });

  test("ends with a plain move", () => {
    expect(chosenOf(moved(extended(pinned("a.md"), four, 1), four, 1))).toEqual([]);
  });

  test("loses the rows that are gone", () => {
    const chosen = rangedTo(pinned("a.md"), four, "c.md");

    expect(chosenOf(settled(chosen, four, rows("c.md", "x.md", "a.md")))).toEqual(["a.md", "c.md"]);
  });
});

test("a row that creates a note is never selected of itself", () => {
  const create: Row = { kind: "create", key: "create", name: "x" };

  expect(settled(NOTHING_SELECTED, [], [create]).key).toBeNull();
  expect(moved(NOTHING_SELECTED, [create], 1).key).toBe("create");
});
