import { readFile } from 'node:fs/promises'
import type { ResolveProblem } from 'argot/chatmd'
import { decodeUtf8 } from './decode-text.ts'
import { SourceError } from './source-error.ts'

/**
 * The text of a document or transcript on disk, byte order mark and all. A file that is not UTF-8 is a problem that
 * names the first bad byte; a file that cannot be opened rejects with the system's error.
 */
export async function readDocumentText(
  file: string,
): Promise<{ ok: true; text: string } | { ok: false; problem: ResolveProblem }> {
  const bytes = await readFile(file)
  try {
    return { ok: true, text: decodeUtf8(bytes, { name: file, keepBom: true, allowNul: true }) }
  } catch (error) {
    if (error instanceof SourceError) return { ok: false, problem: error.problem }
    throw error
  }
}
