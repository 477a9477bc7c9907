import { parse, resolve } from 'node:path'
import { stateFolder } from '../../store/folder/layout.ts'

/** The folders that a document's tools may use. Relative paths start at the first. */
export function toolRoots({
  cwd,
  directory,
  allowPaths,
}: {
  cwd: string
  directory: string
  allowPaths: readonly string[]
}): readonly string[] {
  // Tools work in the user's current folder, unless that is the file system's root.
  const here = parse(cwd).root === cwd ? [] : [cwd]
  return [...new Set([...here, directory, ...allowPaths.map(path => resolve(cwd, path))])]
}

/** What tools may read but never change: the user's settings, and running documents with all their files. */
export function pathsToProtect(configFolder: string, documents: readonly string[]): string[] {
  return [configFolder, ...documents.flatMap(one => [one, stateFolder(one)])]
}
