import { describe, expect, test } from "vitest";
import { type Row, answerRows } from "../../../plugin/pane/rows";
import { type Selection, NOTHING_SELECTED, moved, settled } from "../../../plugin/pane/selection";
import { ROW_OPTIONS, answer, hit, passage } from "../builders";

const rows = (...paths: readonly string[]): readonly Row[] => answerRows(answer({ hits: paths.map((path) => hit(path)) }), ROW_OPTIONS);
const pinned = (key: string): Selection => ({ key, isPinned: true });

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
    expect(settled({ key: "a.md", isPinned: false }, rows("a.md"), rows("new.md", "a.md"))).toEqual({ key: "new.md", isPinned: false });
  });

  test("goes from a row that led to more to the first of them", () => {
    const before: readonly Row[] = [...rows("a.md"), { kind: "more", key: "more", what: "hits", count: 2 }];

    expect(settled(pinned("more"), before, rows("a.md", "b.md", "c.md")).key).toBe("b.md");
  });

  test("goes to the first when its row is gone", () => {
    expect(settled(pinned("b.md"), rows("a.md", "b.md"), rows("x.md")).key).toBe("x.md");
    expect(settled(pinned("b.md"), rows("b.md"), []).key).toBeNull();
  });
});
