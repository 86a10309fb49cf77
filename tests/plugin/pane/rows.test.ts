import { expect, test } from "vitest";
import { answerRows, isPlace, queryRows } from "../../../plugin/pane/rows";
import { ROW_OPTIONS, answer, hit, passage } from "../builders";

test("a hit is followed by its further passages, each with a key of its own", () => {
  const further = new Map([["a.md", { kind: "unfolded", passages: [passage({ start: 100 }), passage({ start: 200 })] } as const]]);
  const rows = answerRows(answer({ hits: [hit("a.md", { furtherPassages: 2 }), hit("b.md")] }), { ...ROW_OPTIONS, further });

  expect(rows.map(({ kind, key }) => `${kind} ${key}`)).toEqual(["hit a.md", "passage a.md#100", "passage a.md#200", "hit b.md"]);
});

test("a hit without a passage is a place all the same, a query is none", () => {
  const [listed] = answerRows(answer({ hits: [hit("a.md", { passages: [] })] }), ROW_OPTIONS);
  const [, recent] = queryRows(["gateway"], []);

  expect([isPlace(listed ?? null), isPlace(recent ?? null), isPlace(null)]).toEqual([true, false, false]);
});
