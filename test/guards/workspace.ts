import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the repository. */
export const root: string = fileURLToPath(new URL('../..', import.meta.url))

export interface Manifest {
  name?: string
  version?: string
  exports?: Record<string, string | Record<string, string>>
  /** What a package imports of itself by a name with `#`; the source is the one that a server loads. */
  imports?: Record<string, { '@argot/source'?: { default?: string } }>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** A package or an app: its manifest, and the text of every file under its `src`. */
export interface WorkspacePackage {
  /** From the root, with slashes: `packages/core`. */
  folder: string
  manifest: Manifest
  /** By path from the root, with slashes. */
  files: ReadonlyMap<string, string>
}

/** Reads every folder of packages/ and apps/ that has a `src`. */
export function readWorkspace(): WorkspacePackage[] {
  const folders = ['packages', 'apps'].flatMap(parent =>
    existsSync(join(root, parent)) ? readdirSync(join(root, parent)).map(name => `${parent}/${name}`) : [],
  )
  return folders
    .filter(folder => existsSync(join(root, folder, 'src')))
    .sort()
    .map(folder => ({ folder, manifest: readManifest(folder), files: readFolder(`${folder}/src`) }))
}

/** The manifest of a folder, `{}` where it has none. */
export function readManifest(folder: string): Manifest {
  const path = join(root, folder, 'package.json')
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Manifest) : {}
}

/** True for files that can import others. */
export function isSource(path: string): boolean {
  return /\.[cm]?tsx?$/.test(path)
}

/** Every file under a folder of the root. */
function readFolder(folder: string): Map<string, string> {
  const files = new Map<string, string>()
  for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    files.set(relative(root, path).split(sep).join('/'), readFileSync(path, 'utf8'))
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
}
