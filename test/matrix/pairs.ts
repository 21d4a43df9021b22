/** Steps through a list in an order that mixes its values: prime, so that it meets every index of a list it does not divide. */
const STRIDE = 7919;

/**
 * A sample in which every two values that occur together in some item occur together.
 *
 * @param valuesOf an item's values, by place
 * @returns items in their own order; the same sample for the same list
 */
export function coverPairs<T>(items: readonly T[], valuesOf: (item: T) => readonly string[]): T[] {
  const covered = new Set<string>();
  const chosen = new Set<number>();
  for (let step = 0; step < items.length; step += 1) {
    const index = (step * STRIDE) % items.length;
    const item = items[index];
    if (item === undefined) continue;
    const fresh = pairsOf(valuesOf(item)).filter((pair) => !covered.has(pair));
    if (fresh.length === 0) continue;
    for (const pair of fresh) covered.add(pair);
    chosen.add(index);
  }
  return items.filter((_, index) => chosen.has(index));
}

/** Every two values with their places. */
export function pairsOf(values: readonly string[]): string[] {
  return values.flatMap((first, place) =>
    values
      .slice(place + 1)
      .map((second, offset) => [place, first, place + 1 + offset, second].map(String).join('\u0000')),
  );
}
