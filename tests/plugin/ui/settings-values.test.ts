import { expect, test } from "vitest";
import { foldersOf, isFullPath, statusesOf, weightOf } from "../../../plugin/ui/settings-values";

test("folders are one a line, without the slashes around them, each once", () => {
  expect(foldersOf("/Work/\n\n  Home  \nWork\na/b/")).toEqual(["Work", "Home", "a/b"]);
});

test.each([
  ["1", 1],
  ["0,5", 0.5],
  ["100", 100],
  ["", null],
  ["-1", null],
  ["101", null],
  ["much", null],
])("%j as a weight is %j", (text, weight) => {
  expect(weightOf(text)).toBe(weight);
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
