import { expect, test } from "vitest";
import { emptyModel } from "../../../plugin/pane/model";
import { blockCountWords, blockErrorWords, blockPanel } from "../../../plugin/i18n/live-block";
import { answer, hit, indexStatus } from "../builders";

const MODEL = emptyModel("hybrid", { kind: "live", version: "0.1.0", isOurs: true }, indexStatus());
const FOUND = { ...MODEL, search: { kind: "results", answer: answer({ hits: [hit("a.md")], total: 7 }), isRefresh: false } } as const;

test("an error says which line it is and what can be written", () => {
  expect(blockErrorWords({ kind: "bad-limit", line: 2, value: "x", most: 100 })).toBe("Line 2: “limit” is a number from 1 to 100.");
  expect(blockErrorWords({ kind: "bad-value", line: 3, name: "show", value: "x", allowed: ["rows", "count"] })).toBe("Line 3: “show” must be one of these: rows, count.");
});

test("the count is of what is shown and there, or of all alone", () => {
  expect(blockCountWords(FOUND, "rows")).toBe("1 of 7 notes");
  expect(blockCountWords(FOUND, "count")).toBe("7 notes");
  expect(blockCountWords(MODEL, "rows")).toBe("");
});

test("a block says in one line that nothing was found, and nothing beside rows", () => {
  expect(blockPanel({ ...MODEL, search: { kind: "results", answer: answer(), isRefresh: false } })?.title).toBe("No notes match");
  expect(blockPanel(FOUND)).toBeNull();
  expect(blockPanel({ ...MODEL, engine: { kind: "starting" } })?.title).toBe("Starting the search engine");
});
