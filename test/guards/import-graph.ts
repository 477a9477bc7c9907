import { posix } from 'node:path'
import { findImports, type Import } from './find-imports.ts'
import { isSource, type Manifest, type WorkspacePackage } from './workspace.ts'

/** Where an import leads. */
export type Target =
  | { kind: 'file'; file: string }
  /** A package of this workspace, by name; `file` is the source of the export, undefined where it exports no such thing. */
  | { kind: 'workspace'; folder: string; file: string | undefined }
  /** A module of Node or an npm package; `name` is without subpath, `node:` for all of Node's. */
  | { kind: 'external'; name: string }
  /** The path is computed, or no such file exists. */
  | { kind: 'unknown' }

export interface Edge {
  package: WorkspacePackage
  file: string
  import: Import
  target: Target
}

/** Every import of every source file of a workspace, with the place it leads to. */
export function importGraph(packages: readonly WorkspacePackage[], nodeModules: readonly string[]): Edge[] {
  const byName = new Map(packages.map(one => [one.manifest.name, one]))
  const node = new Set(nodeModules)

  function resolve(file: string, specifier: string | undefined, own: WorkspacePackage): Target {
    if (specifier === undefined) return { kind: 'unknown' }
    if (/^\.{0,2}\/|^\.{1,2}$/.test(specifier)) {
      const path = posix.join(posix.dirname(file), specifier.replace(/\?.*$/, ''))
      const exists = own.files.has(path) || packages.some(({ files }) => files.has(path))
      return exists || !path.startsWith(`${own.folder}/src/`) ? { kind: 'file', file: path } : { kind: 'unknown' }
    }
    if (specifier.startsWith('#')) {
      const source = own.manifest.imports?.[specifier]?.['@argot/source']?.default
      return source === undefined ? { kind: 'unknown' } : { kind: 'file', file: posix.join(own.folder, source) }
    }
    const name = packageName(specifier)
    const other = byName.get(name)
    if (other !== undefined) {
      const source = exportSource(other.manifest, `.${specifier.slice(name.length)}`)
      return {
        kind: 'workspace',
        folder: other.folder,
        file: source === undefined ? undefined : posix.join(other.folder, source),
      }
    }
    return { kind: 'external', name: specifier.startsWith('node:') || node.has(name) ? 'node:' : name }
  }

  return packages.flatMap(own =>
    [...own.files]
      .filter(([file]) => isSource(file))
      .flatMap(([file, text]) =>
        findImports(file, text).map(found => ({
          package: own,
          file,
          import: found,
          target: resolve(file, found.specifier, own),
        })),
      ),
  )
}

/** The file that an edge leads to, if it stays in the workspace. */
export function targetFile(edge: Edge): string | undefined {
  return edge.target.kind === 'file' || edge.target.kind === 'workspace' ? edge.target.file : undefined
}

/** The source file of one key of a manifest's `exports`, or undefined. */
export function exportSource(manifest: Manifest, key: string): string | undefined {
  const entry = manifest.exports?.[key]
  return typeof entry === 'object' ? (entry['@argot/source'] ?? entry.default) : entry
}

/** The shortest way from `start` along `next` to something that `found` accepts, both ends included. */
export function shortestPath(
  start: string,
  next: (at: string) => Iterable<string>,
  found: (at: string) => boolean,
): string[] | undefined {
  const from = new Map<string, string | undefined>()
  const queue = [start]
  for (const at of queue) {
    for (const to of next(at)) {
      if (found(to)) {
        const path = [to]
        for (let back: string | undefined = at; back !== undefined; back = from.get(back)) path.unshift(back)
        return path
      }
      if (to === start || from.has(to)) continue
      from.set(to, at)
      queue.push(to)
    }
  }
  return undefined
}

/** The cycles of a graph, each as the way round with the first file repeated at the end. No file is in two of them. */
export function cycles(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const seen = new Set<string>()
  const found: string[][] = []
  for (const start of edges.keys()) {
    if (seen.has(start)) continue
    const way = shortestPath(
      start,
      at => [...(edges.get(at) ?? [])].filter(to => !seen.has(to)),
      to => to === start,
    )
    if (way === undefined) continue
    for (const file of way) seen.add(file)
    found.push(way)
  }
  return found
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
