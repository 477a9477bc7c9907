import type { Manifest } from './workspace.ts'

/** A package-lock.json of version 3, as far as the guard looks into it. */
export interface Lock {
  packages: Record<string, Manifest & { resolved?: string; integrity?: string; link?: boolean; inBundle?: boolean }>
}

const kinds = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'] as const

/** Where a lock file and the manifests (by folder, `''` for the root) disagree, one sentence each. */
export function checkLock(lock: Lock, manifests: ReadonlyMap<string, Manifest>): string[] {
  const problems: string[] = []
  for (const [folder, manifest] of manifests) {
    const locked = lock.packages[folder]
    if (locked === undefined) {
      problems.push(`${folder} is not in the lock file; run \`npm install\`.`)
      continue
    }
    if (locked.version !== manifest.version) {
      problems.push(`${folder} is version ${manifest.version}, in the lock file ${locked.version}.`)
    }
    for (const kind of kinds) problems.push(...compare(folder || 'the root', kind, manifest[kind], locked[kind]))
    for (const kind of kinds) problems.push(...pins(lock, folder, manifest[kind]))
  }
  for (const [path, { resolved, integrity, version, link, inBundle }] of Object.entries(lock.packages)) {
    if (resolved !== undefined && !link) problems.push(`${path} names the place ${resolved}.`)
    if (!link && !inBundle && path.includes('node_modules/') && (version === undefined || integrity === undefined)) {
      problems.push(`${path} has no version or no integrity.`)
    }
  }
  return problems
}

/** Ranges that the lock file copied from a manifest that has changed since. */
function compare(
  where: string,
  kind: string,
  own: Record<string, string> = {},
  locked: Record<string, string> = {},
): string[] {
  return [...new Set([...Object.keys(own), ...Object.keys(locked)])]
    .filter(name => own[name] !== locked[name])
    .map(
      name =>
        `${kind} of ${where} want ${name} ${own[name] ?? 'no more'}, the lock file ${locked[name] ?? 'not at all'}.`,
    )
}

/** Exact versions that the lock file does not give. */
function pins(lock: Lock, folder: string, wanted: Record<string, string> = {}): string[] {
  return Object.entries(wanted).flatMap(([name, range]) => {
    if (!/^\d+\.\d+\.\d+/.test(range)) return []
    const locked = lock.packages[`${folder}/node_modules/${name}`] ?? lock.packages[`node_modules/${name}`]
    return locked?.version === range
      ? []
      : [`${name} is pinned to ${range}, the lock file has ${locked?.version ?? 'none'}.`]
  })
}
