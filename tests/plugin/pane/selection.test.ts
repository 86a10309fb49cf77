import { describe, expect, test } from "vitest";
import { type Row, answerRows } from "../../../plugin/pane/rows";
import { NOTHING_SELECTED, moved, settled } from "../../../plugin/pane/selection";
import { answer, hit, passage } from "../builders";

const rows = (...paths: readonly string[]): readonly Row[] => answerRows(answer({ hits: paths.map((path) => hit(path)) }), new Map());

describe("moving", () => {
  test("goes by rows and stops at the ends", () => {
    const three = rows("a.md", "b.md", "c.md");

    expect(moved({ key: "a.md" }, three, 1).key).toBe("b.md");
    expect(moved({ key: "a.md" }, three, -1).key).toBe("a.md");
    expect(moved({ key: "b.md" }, three, 5).key).toBe("c.md");
  });

  test("without rows selects nothing", () => {
    expect(moved(NOTHING_SELECTED, [], 1).key).toBeNull();
  });
});

describe("when rows change, the selection", () => {
  test("stays on its row in another order", () => {
    expect(settled({ key: "b.md" }, rows("a.md", "b.md"), rows("c.md", "b.md")).key).toBe("b.md");
  });

  test("goes from a passage that disappears to its note", () => {
    const hits = [hit("new.md"), hit("a.md", { furtherPassages: 1 })];
    const further = new Map([["a.md", { kind: "unfolded", passages: [passage({ start: 50 })] } as const]]);

    expect(settled({ key: "a.md#50" }, answerRows(answer({ hits }), further), answerRows(answer({ hits }), new Map())).key).toBe("a.md");
  });

  test("goes to the first when its row is gone", () => {
    expect(settled({ key: "b.md" }, rows("a.md", "b.md"), rows("x.md")).key).toBe("x.md");
    expect(settled({ key: "b.md" }, rows("b.md"), []).key).toBeNull();
  });
});
