import { isAbsolute, resolve } from 'node:path'
import { localOnly, readDocumentText, readSidecarRecords } from '@argot/agent/internal'
import { createResolver } from '@argot/agent/workshop'
import type { Diagnostic } from '@argot/core'
import { expand, parseChatMd } from '@argot/core/chatmd'
import type { Io } from '../io/io.ts'
import type { NumberedMessage } from '../io/numbered-message.ts'
import { report } from '../io/report.ts'

/**
 * The messages of a document with everything that its sidecar knows, in order. Reads files of this machine only, and runs
 * nothing. Undefined for a document that can't be read: the errors were reported.
 */
export async function readConversation(file: string, io: Io): Promise<NumberedMessage[] | undefined> {
  const path = isAbsolute(file) ? file : resolve(io.cwd(), file)
  const read = await readDocumentText(path)
  if (!read.ok) {
    await report([{ ...read.problem, severity: 'error', file }], new Map(), false, io)
    return undefined
  }
  const { document, diagnostics } = parseChatMd(read.text, { file: path })
  const errors = diagnostics.filter(({ severity }) => severity === 'error').map((one): Diagnostic => ({ ...one, file }))
  if (errors.length > 0) {
    await report(errors, new Map([[file, read.text]]), false, io)
    return undefined
  }
  const records = (await readSidecarRecords(path, { env: io.env }))(document.tree)
  const { messages } = await expand(document, { resolver: localOnly(createResolver({ cwd: io.cwd() })), records })
  let count = 0
  return messages.map(({ message, elements }) => {
    const isImported = elements.length > 0 && elements.every(element => element.file !== path)
    return { number: isImported ? undefined : ++count, message }
  })
}
