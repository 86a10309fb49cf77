/** Which rows of a reordered list can stay where they are? Pure. */

/**
 * A longest increasing subsequence of `values`, which are all different: the rows at these old positions are in order
 * already, so a list patched by key moves only the others.
 *
 * Patience sorting with back pointers, O(n log n): M. L. Fredman, "On computing the length of longest increasing
 * subsequences", Discrete Mathematics 11 (1975), 29-35.
 *
 * @param values old positions, in the new order
 * @returns the values of the subsequence
 */
export function longestIncreasingSubsequence(values: readonly number[]): ReadonlySet<number> {
  const piles: number[] = []; // the top of each pile: the smallest value that ends a subsequence of that length
  const previous = new Map<number, number>(); // value -> the value before it in its subsequence
  for (const value of values) {
    const pile = firstNotBelow(piles, value);
    const before = piles[pile - 1];
    if (before !== undefined) previous.set(value, before);
    piles[pile] = value;
  }
  const subsequence = new Set<number>();
  for (let value = piles.at(-1); value !== undefined; value = previous.get(value)) subsequence.add(value);
  return subsequence;
}

/** Index of the first element of ascending `sorted` that is at least `value`; its length when there is none. */
function firstNotBelow(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? Infinity) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
