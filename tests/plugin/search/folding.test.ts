import { expect, test } from "vitest";
import { fold, foldWithOrigins } from "../../../plugin/search/folding";

test.each([
  ["API Retry", "api retry"],
  ["Crème Brûlée", "creme brulee"],
  ["Cre\u0300me", "creme"],
  ["Straße", "strasse"],
  ["Smørrebrød", "smorrebrod"],
  ["ＦＵＬＬ", "full"],
  ["検索エンジン", "検索エンジン"],
  ["か\u3099", "が"],
  ["Ёлка", "елка"],
])("%s is %s", (text, folded) => {
  expect(fold(text)).toBe(folded);
});

test("a voiced kana is another letter", () => {
  expect(fold("が")).not.toContain("か");
});

test.each([["Crème ß Brûlée"], ["Cre\u0300me ß 🙂 x"], ["検索 が"]])("every offset of %s leads back", (text) => {
  const { text: folded, origins } = foldWithOrigins(text);

  expect(folded).toBe(fold(text));
  expect(origins).toHaveLength(folded.length + 1);
  expect(origins.at(-1)).toBe(text.length);
  expect(text.slice(origins[folded.indexOf(folded.at(-1) ?? "")] ?? 0)).not.toBe("");
});
