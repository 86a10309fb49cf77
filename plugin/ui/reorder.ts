/** Which rows can stay where they are when a list is put into another order? Pure. */

/**
 * The largest choice of rows that are in order already: only the others need to be moved around them.
 *
 * Quadratic, which at a hundred rows is some microseconds.
 *
 * @param places where each row stood before, in the new order; all different
 * @returns the places of those that stay
 */
export function staying(places: readonly number[]): ReadonlySet<number> {
  const lengths: number[] = []; // of the longest rising run that ends here
  const before: number[] = []; // the row in front of this one in that run
  for (const [at, place] of places.entries()) {
    lengths[at] = 1;
    before[at] = -1;
    for (let other = 0; other < at; other += 1) {
      const length = (lengths[other] ?? 0) + 1;
      if ((places[other] ?? 0) < place && length > (lengths[at] ?? 0)) {
        lengths[at] = length;
        before[at] = other;
      }
    }
  }
  const stay = new Set<number>();
  for (let at = lengths.indexOf(Math.max(...lengths)); at >= 0; at = before[at] ?? -1) stay.add(places[at] ?? -1);
  return stay;
}
