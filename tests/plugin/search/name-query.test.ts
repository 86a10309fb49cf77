import { expect, test } from "vitest";
import { parseNameQuery } from "../../../plugin/search/name-query";

const NOTHING = { words: [], without: [], tags: [], places: [], ignored: [] };

test.each([
  ["Rate  LIMIT", { words: ["rate", "limit"] }],
  ['"Rate limit" retry', { words: ["rate limit", "retry"] }],
  ['"never closed', { words: ["never closed"] }],
  ["boat -draft -\"old plan\"", { words: ["boat"], without: ["draft", "old plan"] }],
  ["#Idea tag:work/now tag:#x", { tags: ["idea", "work/now", "x"] }],
  ["folder:Work file:plan path:2025 keel", { words: ["keel"], places: [{ of: "folder", text: "work" }, { of: "file", text: "plan" }, { of: "path", text: "2025" }] }],
  ['folder:"Old Work"', { places: [{ of: "folder", text: "old work" }] }],
  ["keel created:7d [status:done] /v\\d+/ (a OR b)", { words: ["keel", "a", "b"], ignored: ["created:7d", "[status:done]", "/v\\d+/", "(", "OR", ")"] }],
  ["https://example.org", { words: ["https://example.org"] }],
  ["検索", { words: ["検索"] }],
  ["- # \"\"", { words: ["-", "#"] }],
])("%s", (query, expected) => {
  expect(parseNameQuery(query)).toEqual({ ...NOTHING, ...expected });
});

// Each of these took longer than anybody waits, twice as long with every letter more.
test.each([["\\".repeat(200)], ["\\d".repeat(200)], ["a\\/".repeat(200)]])("an expression that is never closed is read at once", (inner) => {
  expect(parseNameQuery(`/${inner}`).words.length + parseNameQuery(`/${inner}`).ignored.length).toBeGreaterThan(0);
});
