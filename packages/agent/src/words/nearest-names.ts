/** The names that are written most like `wanted`, best first; none if none is like it. */
export function nearestNames(wanted: string, names: readonly string[], count = 3): string[] {
  const pairs = pairsOf(wanted)
  return names
    .map(name => ({ name, likeness: likeness(pairs, pairsOf(name)) }))
    .filter(({ likeness }) => likeness >= 0.5)
    .sort((a, b) => b.likeness - a.likeness || (a.name < b.name ? -1 : 1))
    .slice(0, count)
    .map(({ name }) => name)
}

/** How many of the pairs of two names are the same, from 0 to 1. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let same = 0
  for (const pair of a) if (b.has(pair)) same++
  return (2 * same) / (a.size + b.size)
}

/** The neighbouring letters of a name, whatever their case. */
function pairsOf(name: string): Set<string> {
  const letters = `^${name.slice(0, 255).toLowerCase()}$`
  const pairs = new Set<string>()
  for (let at = 1; at < letters.length; at++) pairs.add(letters.slice(at - 1, at + 1))
  return pairs
}
