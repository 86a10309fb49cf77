import { expect, test } from "vitest";
import { correctionWords, countWords, relaxedWords, remarkOn, understoodWords } from "../../../plugin/i18n/answer";
import { answer, hit } from "../builders";

test("the count says how many of how many, and how fast", () => {
  const hits = [hit("a.md"), hit("b.md")];

  expect(countWords(answer({ hits, tookMs: 23.4 }))).toBe("2 notes · 23 ms");
  expect(countWords(answer({ hits, total: 1_412, reachable: 1_412, tookMs: 0.2 }))).toBe("1,412 notes · 1 ms");
  expect(countWords(answer({ hits, total: 1_412, reachable: 2, tookMs: 0.2 }))).toBe("2 of 1,412 notes · 1 ms");
});

test("how the query was understood is a sentence, or nothing", () => {
  expect(understoodWords(answer())).toBe("Searched for notes about retry.");
  expect(understoodWords({ understood: "", understoodTold: [] })).toBe("");
});

test("a correction names what was typed and what was looked for", () => {
  expect(correctionWords([])).toBe("");
  expect(correctionWords([{ typed: "refrences", used: "references" }])).toBe("Showing results for “references”. No notes contain “refrences”.");
  expect(correctionWords([{ typed: "ab", used: "cd" }, { typed: "ef", used: "gh" }])).toBe("Showing results for “cd” and “gh”. No notes contain “ab” or “ef”.");
});

test("a relaxation is worded by its code", () => {
  expect(relaxedWords(null)).toBe("");
  expect(relaxedWords({ step: "meaning", message: "These come near in meaning", told: { code: "relaxed-nothing", args: { among: "all" } } })).toBe("No notes match. These are the nearest in meaning.");
});

test("what a filter keeps out is not said to be in no note", () => {
  const clause = { kind: "tag" as const, start: 0, end: 5, name: "", value: "idea", negated: false, removable: true };

  expect(remarkOn(answer({ hits: [hit("a.md")], weakness: "no-words" }))).toBe("No note contains these words.");
  expect(remarkOn(answer({ hits: [hit("a.md")], weakness: "no-words", clauses: [clause] }))).toBe("No notes under these filters contain these words.");
  expect(remarkOn(answer({ hits: [hit("a.md")], weakness: "no-words", clauses: [{ ...clause, kind: "phrase" }] }))).toBe("No note contains these words.");
});
