import { readFile, realpath, stat } from 'node:fs/promises'
import type { ResolveProblem } from 'argot/chatmd'
import { decodeUtf8 } from './decode-text.ts'
import { SourceError } from './source-error.ts'

/** The real path of a file. Rejects with the system's error, which names the path, where there is none or it is a folder. */
export async function realFile(path: string): Promise<string> {
  const real = await realpath(path)
  if (!(await stat(real)).isDirectory()) return real
  // Node's own error comes with the first read and does not say what was read.
  const facts = { code: 'EISDIR', syscall: 'read', path }
  throw Object.assign(new Error('EISDIR: illegal operation on a directory'), facts)
}

/**
 * The text of a document or transcript on disk, byte order mark and all. A file that is not UTF-8 is a problem that
 * names the first bad byte; a file that cannot be opened rejects with the system's error.
 */
export async function readDocumentText(
  file: string,
): Promise<{ ok: true; text: string } | { ok: false; problem: ResolveProblem }> {
  const bytes = await readFile(await realFile(file))
  try {
    return { ok: true, text: decodeUtf8(bytes, { name: file, keepBom: true, allowNul: true }) }
  } catch (error) {
    if (error instanceof SourceError) return { ok: false, problem: error.problem }
    throw error
  }
}
