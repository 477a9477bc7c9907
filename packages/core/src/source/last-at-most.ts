/** The index of the last number of an ascending list that is at most `value`; -1 if there is none. O(log n). */
export function lastAtMost(sorted: readonly number[], value: number): number {
  let low = -1
  let high = sorted.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (sorted[middle]! <= value) low = middle
    else high = middle - 1
  }
  return low
}
