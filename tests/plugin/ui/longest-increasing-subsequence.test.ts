import { expect, test } from "vitest";
import { longestIncreasingSubsequence } from "../../../plugin/ui/longest-increasing-subsequence";

const subsequence = (...values: readonly number[]): number[] => [...longestIncreasingSubsequence(values)].sort((a, b) => a - b);

test.each([
  ["nothing", [], []],
  ["values in order", [0, 1, 2], [0, 1, 2]],
  ["a first value that moved to the end", [1, 2, 3, 0], [1, 2, 3]],
  ["a last value that moved to the front", [3, 0, 1, 2], [0, 1, 2]],
  ["values with gaps", [2, 7, 9], [2, 7, 9]],
  ["two that changed places", [0, 1, 4, 3, 2, 5], [0, 1, 2, 5]],
])("of %s", (_, values, expected) => {
  expect(subsequence(...values)).toEqual(expected);
});

test("of a reversed list is one value", () => {
  expect(subsequence(3, 2, 1, 0)).toHaveLength(1);
});

test("is as long as the longest of all subsequences, and increasing in the list's order", () => {
  const orders = permutations([0, 1, 2, 3, 4, 5]);

  for (const values of orders) {
    const found = longestIncreasingSubsequence(values);
    expect(values.filter((value) => found.has(value))).toEqual([...found].sort((a, b) => a - b));
    expect(found.size).toBe(longestByTrial(values));
  }
  expect(orders).toHaveLength(720);
});

function permutations(values: readonly number[]): readonly (readonly number[])[] {
  if (values.length === 0) return [[]];
  return values.flatMap((first) => permutations(values.filter((value) => value !== first)).map((rest) => [first, ...rest]));
}

function longestByTrial(values: readonly number[]): number {
  const subsets = Array.from({ length: 2 ** values.length }, (_, bits) => values.filter((_value, at) => (bits >> at) & 1));
  return Math.max(...subsets.filter((subset) => subset.every((value, at) => at === 0 || (subset[at - 1] ?? 0) < value)).map(({ length }) => length));
}
