import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError } from '../io/io.ts'
import { standardInput } from './read-source.ts'

/**
 * Expands paths to files: a folder becomes every `.chatmd` file in it and its subfolders. Skips hidden folders and
 * `node_modules`. `-` is standard input.
 */
export async function collectDocuments(paths: readonly string[]): Promise<string[]> {
  const files: string[] = []
  for (const path of paths) {
    if (path === standardInput) files.push(path)
    else if ((await stat(path)).isDirectory()) await walk(path, files)
    else files.push(path)
  }
  if (files.length === 0) throw new UsageError(`There is no .chatmd file in ${paths.join(', ')}.`)
  return files
}

async function walk(folder: string, files: string[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules') await walk(path, files)
    else if (entry.isFile() && entry.name.endsWith('.chatmd')) files.push(path)
  }
}
