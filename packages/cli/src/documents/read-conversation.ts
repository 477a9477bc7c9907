import { isAbsolute, resolve } from 'node:path'
import type { Diagnostic } from '@argot/core'
import type { Io } from '../io/io.ts'
import type { NumberedMessage } from '../io/numbered-message.ts'
import { report } from '../io/report.ts'
import { readMessages } from './read-messages.ts'

/** A document's messages in order. Undefined if it can't be read; the errors are already reported. */
export async function readConversation(file: string, io: Io): Promise<NumberedMessage[] | undefined> {
  const path = isAbsolute(file) ? file : resolve(io.cwd(), file)
  const content = await readMessages(path, { cwd: io.cwd(), env: io.env })
  if ('errors' in content) {
    const errors = content.errors.map((one): Diagnostic => ({ ...one, file }))
    await report(errors, content.text === undefined ? new Map() : new Map([[file, content.text]]), false, io)
    return undefined
  }
  let count = 0
  return content.messages.map(({ message, elements }) => {
    const isImported = elements.length > 0 && elements.every(element => element.file !== path)
    return { number: isImported ? undefined : ++count, message }
  })
}
