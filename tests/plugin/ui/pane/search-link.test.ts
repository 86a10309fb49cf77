import { expect, test } from "vitest";
import { readSearchLink, searchLink } from "../../../../plugin/ui/pane/search-link";

test("a link leads to the search that it was made of", () => {
  const link = searchLink("My notes & more", '"rate limit" -draft #a/b?', "keyword");
  const params = Object.fromEntries(new URL(link.replace("obsidian:", "http:")).searchParams);

  expect(link).toMatch(/^obsidian:\/\/quarry\?vault=My%20notes%20%26%20more&query=/);
  expect(readSearchLink(params)).toEqual({ query: '"rate limit" -draft #a/b?', mode: "keyword", opensBest: false });
});

test("what is no valid value is taken as not given", () => {
  expect(readSearchLink({ query: "  ", mode: "everything", open: "yes" })).toEqual({ query: null, mode: null, opensBest: false });
  expect(readSearchLink({ open: "1" })).toEqual({ query: null, mode: null, opensBest: false });
  expect(readSearchLink({ query: "x", open: "1" })).toMatchObject({ opensBest: true });
});

test("a query from outside is bounded, in one line and without hidden marks", () => {
  expect(readSearchLink({ query: "a\u0000b\n\u202ec" }).query).toBe("a b c");
  expect(readSearchLink({ query: `${"x".repeat(999)}😀` }).query).toBe("x".repeat(999));
  expect(readSearchLink({ query: "x".repeat(100_000) }).query).toHaveLength(1_000);
});

test("half a surrogate pair in a query breaks no link", () => {
  expect(searchLink("v", "\ud83d", "hybrid")).toBe("obsidian://quarry?vault=v&query=%EF%BF%BD");
});
