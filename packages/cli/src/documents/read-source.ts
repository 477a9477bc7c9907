import { text as readText } from 'node:stream/consumers'
import { readDocumentText } from '@argot/agent/internal'
import type { Io } from '../io/io.ts'

export const standardInput = '-'
export const standardInputName = '<stdin>'

/** Reads a document, or standard input if its name is `-`. `file` is its name in messages. */
export async function readSource(
  file: string,
  io: Pick<Io, 'stdin'>,
): Promise<{ file: string; content: Awaited<ReturnType<typeof readDocumentText>> }> {
  if (file !== standardInput) return { file, content: await readDocumentText(file) }
  return { file: standardInputName, content: { ok: true, text: await readText(io.stdin) } }
}
