const COMPARED_CHARACTERS = 64

/** Two for a short name, more for a long one. */
function getLimit(name: string): number {
  return Math.max(2, Math.floor(name.length / 3))
}

/**
 * The names spelled most like `target`, best first; empty if none is close enough. Ignores case, `-` and `_`. If only
 * one name begins with `target` and a `_`, it comes first; otherwise the only one that ends this way. `most` limits how
 * many characters may differ.
 */
export function nearestNames(
  target: string,
  names: Iterable<string>,
  count = 3,
  most: (target: string, name: string) => number = getLimit,
): string[] {
  const spelling = spell(target)
  const letters = spelling.replaceAll('_', '')
  const prefixMatches: string[] = []
  const suffixMatches: string[] = []
  const near: { name: string; distance: number }[] = []
  for (const name of names) {
    const otherSpelling = spell(name)
    if (otherSpelling.startsWith(`${spelling}_`)) prefixMatches.push(name)
    if (spelling !== '' && otherSpelling.endsWith(`_${spelling}`)) suffixMatches.push(name)
    const other = otherSpelling.replaceAll('_', '')
    const limit = Math.min(most(letters, name), letters.length - 1)
    // Names of very different lengths are never close, so most are skipped here at no cost.
    if (Math.abs(other.length - letters.length) > limit) continue
    const distance = editDistance(letters, other)
    // Of two equally near names, the one with the same letters wins.
    if (distance <= limit)
      near.push({ name, distance: distance + (sortLetters(other) === sortLetters(letters) ? 0 : 0.5) })
  }
  near.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
  const first = [prefixMatches, suffixMatches].find(({ length }) => length === 1) ?? []
  return [...new Set([...first, ...near.map(({ name }) => name)])].slice(0, count)
}

function sortLetters(word: string): string {
  return [...word].sort().join('')
}

function spell(name: string): string {
  return name.slice(0, COMPARED_CHARACTERS).toLowerCase().replaceAll('-', '_')
}

/** How many characters must be added, dropped, changed or swapped with their neighbour to turn `a` into `b`. */
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
