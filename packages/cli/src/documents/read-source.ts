import { text as readText } from 'node:stream/consumers'
import { readDocumentText } from '@argot/agent/internal'
import type { Io } from '../io/io.ts'

/** How standard input is named on a command line, and in what is said about it. */
export const standardInput = '-'
export const standardInputName = '<stdin>'

/** Reads a document, or standard input where its name is `-`. `file` is how it is called from then on. */
export async function readSource(
  file: string,
  io: Pick<Io, 'stdin'>,
): Promise<{ file: string; read: Awaited<ReturnType<typeof readDocumentText>> }> {
  if (file !== standardInput) return { file, read: await readDocumentText(file) }
  return { file: standardInputName, read: { ok: true, text: await readText(io.stdin) } }
}
