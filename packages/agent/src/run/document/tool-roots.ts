import { parse, resolve } from 'node:path'
import { stateFolder } from '../../store/folder/layout.ts'

/** The folders that a document's tools may use; relative paths start at the first. */
export function toolRoots({
  cwd,
  directory,
  allowPaths,
}: {
  cwd: string
  directory: string
  allowPaths: readonly string[]
}): readonly string[] {
  // Tools work where the user is, unless that is the root of everything.
  const here = parse(cwd).root === cwd ? [] : [cwd]
  return [...new Set([...here, directory, ...allowPaths.map(path => resolve(cwd, path))])]
}

/** What tools may read and never change: the user's settings, and the documents that runs write to with all that belongs to them. */
export function pathsToProtect(configFolder: string, documents: readonly string[]): string[] {
  return [configFolder, ...documents.flatMap(one => [one, stateFolder(one)])]
}
