import { expect, test } from "vitest";
import { staying } from "../../../plugin/ui/reorder";

test("rows in the same order all stay", () => {
  expect([...staying([0, 1, 2])].sort()).toEqual([0, 1, 2]);
});

test("when the first falls to the end, only that one is moved", () => {
  expect([...staying([1, 2, 3, 0])].sort()).toEqual([1, 2, 3]);
});

test("when the last rises to the top, only that one is moved", () => {
  expect([...staying([3, 0, 1, 2])].sort()).toEqual([0, 1, 2]);
});

test("turned around, one row stays", () => {
  expect(staying([3, 2, 1, 0]).size).toBe(1);
});

test("rows that went are no matter", () => {
  expect([...staying([2, 7, 9])].sort()).toEqual([2, 7, 9]);
});

test("an empty list has none", () => {
  expect(staying([]).size).toBe(0);
});
