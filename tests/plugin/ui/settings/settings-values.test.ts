import { expect, test } from "vitest";
import { balanceOf, foldersOf, isFullPath, statusesOf, weightsOf } from "../../../../plugin/ui/settings/settings-values";

test("folders are one a line, without the slashes around them, each once", () => {
  expect(foldersOf("/Work/\n\n  Home  \nWork\na/b/")).toEqual(["Work", "Home", "a/b"]);
});

test.each([
  [1, 1, 50],
  [2, 0, 0],
  [0, 0.3, 100],
  [1, 3, 75],
  [0, 0, 50],
])("words of weight %d and meaning of %d are a balance of %d", (keywordWeight, denseWeight, balance) => {
  expect(balanceOf({ keywordWeight, denseWeight })).toBe(balance);
});

test("a balance is kept as weights that give it again", () => {
  for (let balance = 0; balance <= 100; balance += 5) expect(balanceOf(weightsOf(balance))).toBe(balance);
  expect(weightsOf(50)).toEqual({ keywordWeight: 1, denseWeight: 1 });
});

test.each([
  ["/usr/bin/quarry", true],
  ["~/.local/bin/quarry", true],
  ["C:\\Tools\\quarry.exe", true],
  ["\\\\server\\tools\\quarry.exe", true],
  ["quarry", false],
  ["./quarry", false],
  ["C:quarry.exe", false],
])("%s is a full path: %j", (path, isFull) => {
  expect(isFullPath(path)).toBe(isFull);
});

test("statuses stand between commas, each once", () => {
  expect(statusesOf(" archived, draft ,,archived")).toEqual(["archived", "draft"]);
});
