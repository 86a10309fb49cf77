import { describe, expect, test } from "vitest";
import { type PaneEvent, type PaneModel, emptyModel, reduce, selectedRow, stateOf, targetRows } from "../../../plugin/pane/model";
import { type Answer } from "../../../plugin/search/answer";
import { answer, hit, indexStatus } from "../builders";

const LIVE = { kind: "live", version: "0.1.0", isOurs: true } as const;

const found = (...paths: readonly string[]): Answer => answer({ hits: paths.map((path) => hit(path, { furtherPassages: 1 })) });
const results = (of: Answer, isRefresh = false): PaneEvent => ({ kind: "search", search: { kind: "results", answer: of, isRefresh } });

function after(...events: readonly PaneEvent[]): PaneModel {
  return events.reduce(reduce, emptyModel("hybrid", LIVE, indexStatus()));
}

const keys = ({ rows }: PaneModel): string[] => rows.map(({ key }) => key);

describe("the selection", () => {
  test("goes to the best hit of a new query, wherever the chosen note is now", () => {
    const moved = after(results(found("a.md", "b.md")), { kind: "moved", step: 1 });

    expect(reduce(moved, results(found("x.md", "b.md"))).selection.key).toBe("x.md");
  });

  test("goes to a row that is chosen, and to none that is not there", () => {
    const model = after(results(found("a.md", "b.md")), { kind: "selected", key: "b.md" });

    expect(selectedRow(model)?.key).toBe("b.md");
    expect(selectedRow(reduce(model, { kind: "selected", key: "z.md" }))?.key).toBe("b.md");
  });
});

test("the state of the body follows the engine before the search", () => {
  const model = after(results(found("a.md")));

  expect(stateOf(model).kind).toBe("results");
  expect(stateOf(reduce(model, { kind: "engine", engine: { kind: "disconnected" }, status: null })).kind).toBe("disconnected");
  expect(stateOf(after({ kind: "history", recent: ["a"], saved: [] }))).toEqual({ kind: "empty", hasHistory: true });
});

test("no event changes the model it is applied to", () => {
  const model = Object.freeze(after(results(found("a.md", "b.md"))));
  const copy = JSON.stringify(model);
  reduce(model, { kind: "moved", step: 1 });
  reduce(model, { kind: "options", mode: "keyword", naming: "title", density: "compact" });

  expect(JSON.stringify(model)).toBe(copy);
});

describe("what commands concern", () => {
  const three = after(results(found("a.md", "b.md", "c.md")));
  const targets = (model: PaneModel): string[] => targetRows(model).map(({ key }) => key);

  test("is the selected row, else all that are chosen, from top to bottom", () => {
    expect(targets(three)).toEqual(["a.md"]);
    expect(targets([{ kind: "toggled", key: "c.md" }, { kind: "toggled", key: "a.md" }].reduce((model, event) => reduce(model, event as PaneEvent), three))).toEqual(["a.md", "c.md"]);
    expect(targets(reduce(reduce(three, { kind: "extended", step: 1 }), { kind: "unchosen" }))).toEqual(["b.md"]);
    expect(targets(after({ kind: "history", recent: ["a"], saved: [] }))).toEqual([]);
  });

  test("loses chosen rows that a refresh takes away, and all with a new query", () => {
    const chosen = reduce(three, { kind: "ranged", key: "c.md" });

    expect(targets(reduce(chosen, results(found("c.md", "a.md"), true)))).toEqual(["c.md", "a.md"]);
    expect(targets(reduce(chosen, results(found("a.md", "b.md"))))).toEqual(["a.md"]);
  });
});

test("a hit that is not what was meant stays so until another query is asked", () => {
  const dismissed = (model: PaneModel): unknown[] => model.rows.map((row) => row.kind === "hit" && row.isDismissed);
  const one = after(results(found("a.md", "b.md")), { kind: "dismissed", path: "b.md", isDismissed: true });

  expect(dismissed(one)).toEqual([false, true]);
  expect(dismissed(reduce(one, results(found("b.md"), true)))).toEqual([true]);
  expect(dismissed(reduce(one, results(found("b.md"))))).toEqual([false]);
  expect(dismissed(reduce(one, { kind: "dismissed", path: "b.md", isDismissed: false }))).toEqual([false, false]);
});

test("a note is offered below the rows, and stays while the next answer is pending", () => {
  const search = { kind: "results", answer: found("a.md"), isRefresh: false } as const;
  const offered = after({ kind: "search", search, newNote: "retry" });
  const pending = reduce(offered, { kind: "search", search: { kind: "searching", query: "retry b", previous: search.answer } });

  expect(keys(offered)).toEqual(["a.md", "create"]);
  expect(pending.rows).toBe(offered.rows);
  expect(keys(reduce(pending, { kind: "search", search, newNote: null }))).toEqual(["a.md"]);
});
