import type { BranchOrigin } from './branch-origin.ts'

export interface BranchPoint {
  /** The number of messages they share, which is the index of the first message that differs. */
  keeps: number
  /** Oldest first, including the document itself. */
  documents: string[]
  current: number
}

type Origins = ReadonlyMap<string, BranchOrigin | undefined>

/** `origins` has every document in the folder. If an origin no longer exists, its branches are still related. */
export function findBranchPoints(name: string, origins: Origins): BranchPoint[] {
  const dates = new Map([...origins].map(([one, origin]) => [one, origin?.at ?? 0]))
  const owners = new Map([...origins].map(([one, origin]) => [one, origin && findOwner(one, origin, origins)]))
  const branches = groupBy([...owners.keys()], one => owners.get(one)?.of)
  const points: BranchPoint[] = []
  /** How many messages this document shares with the one we look at; infinite for that one itself. */
  let shared = Number.POSITIVE_INFINITY
  const visited = new Set<string>()
  for (let at: string | undefined = name, below = name; at !== undefined && !visited.has(at); ) {
    visited.add(at)
    const near = (branches.get(at) ?? []).filter(one => owners.get(one)!.keeps <= shared)
    for (const [keeps, others] of groupBy(near, one => owners.get(one)!.keeps)) {
      const current: string = keeps === shared ? below : at
      others.sort((a, b) => dates.get(a)! - dates.get(b)! || (a < b ? -1 : 1))
      const siblings: string[] = origins.has(at) || at === current ? [at, ...others] : others
      const documents = siblings.map(one => (one === current ? name : one))
      if (documents.length > 1) points.push({ keeps, documents, current: siblings.indexOf(current) })
    }
    const origin: BranchOrigin | undefined = owners.get(at)
    below = at
    shared = Math.min(shared, origin?.keeps ?? 0)
    at = origin?.of
  }
  return points.sort((a, b) => a.keeps - b.keeps)
}

/**
 * If a branch was made above the point where its origin itself branched off, it belongs to the origin's origin. Returns
 * undefined if the origins form a cycle.
 */
function findOwner(name: string, origin: BranchOrigin, origins: Origins): BranchOrigin | undefined {
  const visited = new Set([name])
  for (let { of } = origin; !visited.has(of); ) {
    visited.add(of)
    const above = origins.get(of)
    if (above === undefined || above.keeps < origin.keeps) return { ...origin, of }
    of = above.of
  }
  return undefined
}

function groupBy<Key>(names: readonly string[], toKey: (name: string) => Key): Map<Key, string[]> {
  const groups = new Map<Key, string[]>()
  for (const name of names) {
    const key = toKey(name)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [name])
    else group.push(name)
  }
  return groups
}
