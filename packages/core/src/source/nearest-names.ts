/** So much of a name is compared. */
const COMPARED_CHARACTERS = 64

/** How many characters may be wrong where nobody says so: some of a long name, two of a short one. */
function getLimit(name: string): number {
  return Math.max(2, Math.floor(name.length / 3))
}

/**
 * The names that are spelled most like `wanted`, best first; none where none is close enough to be meant. Case, `-` and
 * `_` make no difference. The only name that begins with `wanted` and a `_` comes first, or the only one that ends so. `most`
 * says how many characters may be wrong.
 */
export function nearestNames(
  target: string,
  names: Iterable<string>,
  count = 3,
  most: (wanted: string, name: string) => number = getLimit,
): string[] {
  const spelling = spell(target)
  const letters = spelling.replaceAll('_', '')
  const begun: string[] = []
  const ended: string[] = []
  const near: { name: string; distance: number }[] = []
  for (const name of names) {
    const spelled = spell(name)
    if (spelled.startsWith(`${spelling}_`)) begun.push(name)
    if (spelling !== '' && spelled.endsWith(`_${spelling}`)) ended.push(name)
    const other = spelled.replaceAll('_', '')
    const limit = Math.min(most(letters, name), letters.length - 1)
    // Names of very different lengths are never close: most are left out here, at no cost.
    if (Math.abs(other.length - letters.length) > limit) continue
    const distance = editDistance(letters, other)
    // Of two that are as near, the one with the same letters is meant.
    if (distance <= limit) near.push({ name, distance: distance + (sorted(other) === sorted(letters) ? 0 : 0.5) })
  }
  near.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
  const first = [begun, ended].find(({ length }) => length === 1) ?? []
  return [...new Set([...first, ...near.map(({ name }) => name)])].slice(0, count)
}

function sorted(word: string): string {
  return [...word].sort().join('')
}

function spell(name: string): string {
  return name.slice(0, COMPARED_CHARACTERS).toLowerCase().replaceAll('-', '_')
}

/** How many characters must be added, dropped, changed or swapped with their neighbour to make `b` of `a`. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1)
      row.push(cost)
    }
    before = previous
    previous = row
  }
  return previous[b.length]!
}
