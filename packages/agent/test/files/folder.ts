import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder with these files, removed when the test is over. Its path has no symbolic link in it. */
export async function folder(files: Record<string, string | Uint8Array> = {}): Promise<string> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'argot-resolver-')))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), content)
  }
  return path
}
