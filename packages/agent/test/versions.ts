import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** The key that signed what is in `fixtures/versions`. */
export const fixtureKey: string = Buffer.from('argot fixtures argot fixtures 32').toString('base64')

/** `document-1` and `document-2` are one run each, `both` is a run of the second after one of the first. */
export type VersionFixture = 'document-1' | 'document-2' | 'both'

/** A folder with what a version of Argot has written: `chat.chatmd`, and what is beside it. */
export async function versionFolder(name: VersionFixture): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-version-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = new URL(`../../../fixtures/versions/${name}.json`, import.meta.url)
  const files = JSON.parse(await readFile(path, 'utf8')) as Record<string, string>
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
  return folder
}
