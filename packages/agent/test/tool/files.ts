import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** The files of a folder by their relative path. */
export type Files = Record<string, string | Uint8Array>

/** A folder with these files, removed when the test is over. */
export async function writeFolder(files: Files = {}): Promise<string> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'argot-tool-')))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), content)
  }
  return path
}

/** All files of a folder as text, hidden ones too; an empty folder shows as `name/`. */
export async function readFolder(path: string): Promise<Record<string, string>> {
  return Object.fromEntries(await readEntries(path, ''))
}

async function readEntries(path: string, prefix: string): Promise<[string, string][]> {
  const files: [string, string][] = []
  for (const entry of await readdir(join(path, prefix), { withFileTypes: true })) {
    const name = prefix + entry.name
    if (entry.isFile()) files.push([name, await readFile(join(path, name), 'utf8')])
    if (!entry.isDirectory()) continue
    const inner = await readEntries(path, `${name}/`)
    files.push(...(inner.length === 0 ? [[`${name}/`, ''] as [string, string]] : inner))
  }
  return files
}
