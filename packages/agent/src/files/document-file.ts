import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { open, realpath, stat } from 'node:fs/promises'
import { ArgotError } from '@argot/core'
import type { ResolveProblem } from '@argot/core/chatmd/internal'
import { describeBytes } from '../words/describe-bytes.ts'
import { quoted } from '../words/quoted.ts'
import { decodeUtf8 } from './decode-text.ts'
import { isKeyFile } from './key-file.ts'
import { SourceError } from './source-error.ts'

/** The longest document that is read if nobody says less: about what a text of this machine can hold. */
export const DOCUMENT_BYTES: number = 256 * 1024 * 1024

/** The real path of a file. Rejects with the system's error, which names the path, where there is none or it is a folder. */
export async function realFile(path: string): Promise<string> {
  const real = await realpath(path)
  refuseKeyFile(real, path)
  if (!(await stat(real)).isDirectory()) return real
  // Node's own error comes with the first read and does not say what was read.
  const facts = { code: 'EISDIR', syscall: 'read', path }
  throw Object.assign(new Error('EISDIR: illegal operation on a directory'), facts)
}

/**
 * The text of a document or transcript on disk, byte order mark and all. A file that is not UTF-8 is a problem that
 * names the first bad byte, and so is one of more than `most` bytes, which is not read; a file that cannot be opened
 * rejects with the system's error.
 */
export async function readDocumentText(
  file: string,
  most: number = DOCUMENT_BYTES,
): Promise<{ ok: true; text: string } | { ok: false; problem: ResolveProblem }> {
  try {
    const bytes = readBytes(await realFile(file), most, file)
    return { ok: true, text: decodeUtf8(bytes, { name: file, keepBom: true, allowNul: true }) }
  } catch (error) {
    if (error instanceof SourceError) return { ok: false, problem: error.problem }
    throw error
  }
}

/** The bytes of a document. Throws `CHATMD_SOURCE_TOO_LARGE` for one of more than `most` bytes, which is not read. */
export function readWholeDocument(file: string, most?: number): Buffer {
  try {
    return readBytes(file, most)
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    throw new ArgotError(error.problem.code, error.problem.message, { cause: error })
  }
}

function readBytes(file: string, most: number = DOCUMENT_BYTES, name: string = file): Buffer {
  refuseKeyFile(file, name)
  const fd = openSync(file, 'r')
  try {
    const { size } = fstatSync(fd)
    if (size > most) throw tooLarge(name, most)
    // Beyond its size, because a file can grow, and some have none.
    let bytes = Buffer.allocUnsafe(Math.min(Math.max(size, SMALLEST), most) + 1)
    for (let length = 0; ; ) {
      const read = readSync(fd, bytes, length, bytes.length - length, null)
      if (read === 0) return bytes.subarray(0, length)
      length += read
      if (length > most) throw tooLarge(name, most)
      if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(2 * length, most + 1))
    }
  } finally {
    closeSync(fd)
  }
}

/** A link in a project must not make a document of the user's keys. */
function refuseKeyFile(real: string, path: string): void {
  if (!isKeyFile(real)) return
  throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', syscall: 'open', path })
}

/** Room for a file that says it has less. */
const SMALLEST = 1024

/** The first `most` bytes of a document as text, for a look at it. What is not text becomes U+FFFD. */
export async function readDocumentStart(file: string, most: number): Promise<string> {
  const handle = await open(await realFile(file), 'r')
  try {
    const bytes = Buffer.alloc(most)
    const { bytesRead } = await handle.read(bytes, 0, most, 0)
    // A character that is cut in two at the end is left out.
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, bytesRead), { stream: true })
  } finally {
    await handle.close()
  }
}

function tooLarge(name: string, most: number): SourceError {
  const message = `${quoted(name)} has more than ${describeBytes(most)}, so it is not read.`
  return new SourceError('CHATMD_SOURCE_TOO_LARGE', message, 'Split the document.')
}
