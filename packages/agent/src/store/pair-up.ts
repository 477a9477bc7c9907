/** Finds the index in `left` that belongs to each index in `right`. Undefined entries belong to nothing. */
export function pairUp(
  left: readonly string[],
  right: readonly (string | undefined)[],
  isSame: (a: number, b: number) => boolean,
): Map<number, number> {
  const pairs = new Map<number, number>()
  let [fromLeft, fromRight] = [0, 0]
  for (const [atLeft, atRight] of [...anchors(left, right), [left.length, right.length] as const]) {
    pairGap(mapPlaces(left, fromLeft, atLeft), mapPlaces(right, fromRight, atRight), isSame, pairs)
    if (atLeft < left.length) pairs.set(atRight, atLeft)
    fromLeft = atLeft + 1
    fromRight = atRight + 1
  }
  return pairs
}

/** The longest list of texts that occur once on both sides, in the same order. */
function anchors(left: readonly string[], right: readonly (string | undefined)[]): (readonly [number, number])[] {
  const leftPlaces = mapPlaces(left)
  const unique: [number, number][] = []
  for (const [key, places] of mapPlaces(right)) {
    const others = leftPlaces.get(key)
    if (places.length === 1 && others?.length === 1) unique.push([others[0]!, places[0]!])
  }
  return longestIncreasing(unique)
}

/** The longest increasing subsequence by first index. The pairs are sorted by their second index. */
function longestIncreasing(pairs: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  /** The pair that ends the best list of each length, and the pair before each. */
  const ends: number[] = []
  const before: number[] = []
  for (const [index, [place]] of pairs.entries()) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (pairs[ends[middle]!]![0] < place) low = middle + 1
      else high = middle
    }
    before[index] = low === 0 ? -1 : ends[low - 1]!
    ends[low] = index
  }
  const rise: (readonly [number, number])[] = []
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index]!) rise.push(pairs[index]!)
  return rise.reverse()
}

/** Between two anchors: pairs texts that occur as often as their records, or whose records are all identical. */
function pairGap(
  left: ReadonlyMap<string, readonly number[]>,
  right: ReadonlyMap<string, readonly number[]>,
  isSame: (a: number, b: number) => boolean,
  pairs: Map<number, number>,
): void {
  for (const [key, places] of right) {
    const others = left.get(key) ?? []
    const isCertain = others.length === places.length || places.every(place => isSame(place, places[0]!))
    if (!isCertain) continue
    for (const [index, place] of places.entries()) if (index < others.length) pairs.set(place, others[index]!)
  }
}

/** The indexes of each text between `from` and `to`. */
export function mapPlaces(
  list: readonly (string | undefined)[],
  from = 0,
  to: number = list.length,
): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (let index = from; index < to; index++) {
    const key = list[index]
    if (key !== undefined) addTo(places, key, index)
  }
  return places
}

export function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}
