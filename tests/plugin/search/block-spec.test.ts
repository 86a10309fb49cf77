import { describe, expect, test } from "vitest";
import { blockText, parseBlock } from "../../../plugin/search/block-spec";

const OPERATORS = new Set(["tag", "path"]);
const parse = (...lines: readonly string[]): ReturnType<typeof parseBlock> => parseBlock(lines.join("\n"), OPERATORS);

test("a count is one of notes with the words, unless another mode is set", () => {
  expect(parse("rope", "show: count")).toMatchObject({ spec: { mode: "keyword" } });
  expect(parse("rope", "show: count", "mode: both")).toMatchObject({ spec: { mode: "hybrid" } });
});

test("a block that is a query alone shows its ten best rows, searched as the pane does", () => {
  expect(parse("retry backoff tag:#work")).toEqual({ spec: { query: "retry backoff tag:#work", sort: "relevance", limit: 10, mode: null, density: null, shows: "rows" } });
});

test("options stand on lines of their own, in any case and order, between the lines of the query", () => {
  expect(parse("Sort: modified", "retry", "limit:5", "", "tag: #work", "mode: words", "density: compact", "show: count")).toEqual({
    spec: { query: "retry tag: #work", sort: "modified", limit: 5, mode: "keyword", density: "compact", shows: "count" },
  });
});

describe("what cannot be read is named with its line and what is possible", () => {
  test.each([
    [["retry", "limt: 5"], { kind: "unknown-option", line: 2, name: "limt" }],
    [["retry", "sort: date"], { kind: "bad-value", line: 2, name: "sort", value: "date", allowed: ["relevance", "modified", "created", "name"] }],
    [["retry", "limit: 0"], { kind: "bad-limit", line: 2, value: "0", most: 100 }],
    [["retry", "limit: 1e9"], { kind: "bad-limit", line: 2, value: "1e9" }],
    [["retry", "mode:"], { kind: "bad-value", line: 2, name: "mode", value: "" }],
    [["", "  "], { kind: "no-query" }],
    [["limit: 5"], { kind: "no-query" }],
  ])("%j", (lines, error) => {
    expect(parse(...lines)).toMatchObject({ errors: [error] });
  });

  test("all at once", () => {
    expect(parse("sort: x", "limit: y")).toMatchObject({ errors: [{ line: 1 }, { line: 2 }] });
  });
});

test("an address or a time is part of a query", () => {
  expect(parse("https://example.org at 10:30")).toMatchObject({ spec: { query: "https://example.org at 10:30" } });
});

test("a block that is written is read as what it was written from", () => {
  for (const mode of ["hybrid", "keyword", "semantic"] as const) {
    const lines = blockText('a "b c"', mode).split("\n");

    expect([lines[0], lines.at(-2), lines.at(-1)]).toEqual(["```quarry", "```", ""]);
    expect(parse(...lines.slice(1, -2))).toMatchObject({ spec: { query: 'a "b c"', mode: mode === "hybrid" ? null : mode } });
  }
});

test("ticks in a query do not end its block", () => {
  expect(blockText("a ``` b", "hybrid")).toBe("````quarry\na ``` b\n````\n");
});
