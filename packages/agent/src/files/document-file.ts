import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { open, realpath, stat } from 'node:fs/promises'
import { ArgotError } from '@argot/core'
import type { ResolveProblem } from '@argot/core/chatmd/internal'
import { describeBytes } from '../words/describe-bytes.ts'
import { quoted } from '../words/quoted.ts'
import { decodeUtf8 } from './decode-text.ts'
import { isKeyFile } from './key-file.ts'
import { SourceError } from './source-error.ts'

/** The default size limit of a document. A string in Node can be about twice as long. */
export const DOCUMENT_BYTES: number = 256 * 1024 * 1024

/** Rejects with the system's error, which names the path, if there is no file or it is a folder. */
export async function realFile(path: string): Promise<string> {
  const real = await realpath(path)
  refuseKeyFile(real, path)
  if (!(await stat(real)).isDirectory()) return real
  // Node's own error would come with the first read, without the path.
  const facts = { code: 'EISDIR', syscall: 'read', path }
  throw Object.assign(new Error('EISDIR: illegal operation on a directory'), facts)
}

/**
 * Reads a document or transcript, including its byte order mark. Returns a problem if the file is not UTF-8 (it names
 * the first bad byte) or has more than `most` bytes (it is not read then). Rejects with the system's error if the file
 * can't be opened.
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

/** Throws `CHATMD_SOURCE_TOO_LARGE` without reading if the file has more than `most` bytes. */
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
    // Read beyond the reported size: a file can grow, and some report 0.
    let bytes = Buffer.allocUnsafe(Math.min(Math.max(size, SMALLEST_BUFFER), most) + 1)
    for (let length = 0; ; ) {
      const count = readSync(fd, bytes, length, bytes.length - length, null)
      if (count === 0) return bytes.subarray(0, length)
      length += count
      if (length > most) throw tooLarge(name, most)
      if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(2 * length, most + 1))
    }
  } finally {
    closeSync(fd)
  }
}

/** A link in a project must not turn the user's keys into a document. */
function refuseKeyFile(real: string, path: string): void {
  if (!isKeyFile(real)) return
  throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', syscall: 'open', path })
}

const SMALLEST_BUFFER = 1024

/** The first `most` bytes of a document as text, for a preview. Bytes that are not UTF-8 become U+FFFD. */
export async function readDocumentStart(file: string, most: number): Promise<string> {
  const handle = await open(await realFile(file), 'r')
  try {
    const bytes = Buffer.alloc(most)
    const { bytesRead } = await handle.read(bytes, 0, most, 0)
    // Drops a character that is cut in two at the end.
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, bytesRead), { stream: true })
  } finally {
    await handle.close()
  }
}

function tooLarge(name: string, most: number): SourceError {
  const message = `${quoted(name)} is larger than ${describeBytes(most)}, so it can't be read.`
  return new SourceError('CHATMD_SOURCE_TOO_LARGE', message, 'Split the document.')
}
