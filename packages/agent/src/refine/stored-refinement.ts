import { basename, dirname, join } from 'node:path'
import { readBytes } from '../files/local-file.ts'
import { replaceFile } from '../files/replace-file.ts'
import { signText } from '../store/seal.ts'

/** A longer file can't be ours. */
const MOST_BYTES = 4 * 1024 * 1024

export function refinedPath(file: string): string {
  return join(dirname(file), '.chatmd', 'refined', basename(file))
}

/** The file may have come with the folder, so it is trusted only with the user's signature for these prompts. */
export async function readRefinement(file: string, prompts: string, key: Uint8Array): Promise<string | undefined> {
  const path = refinedPath(file)
  const bytes = await readBytes(path, path, MOST_BYTES).catch(() => undefined)
  const text = bytes?.toString('utf8')
  const match = text === undefined ? null : /<!-- refined ([\w-]{22}) -->\n$/.exec(text)
  if (text === undefined || match === null) return undefined
  const refined = text.slice(0, match.index)
  return signText(key, toSignedText(file, prompts, refined)) === match[1] ? refined : undefined
}

/** Stores a refined text. Throws if something other than our own file is in the way, such as a link. */
export async function writeRefinement(file: string, prompts: string, refined: string, key: Uint8Array): Promise<void> {
  const path = refinedPath(file)
  const signature = signText(key, toSignedText(file, prompts, refined))
  await replaceFile(path, `${refined}<!-- refined ${signature} -->\n`, path)
}

function toSignedText(file: string, prompts: string, refined: string): string {
  return JSON.stringify(['argot-refined-1', basename(file), prompts, refined])
}
