import { toUIMessage } from '../ai-sdk/ui-message.ts'
import { writeChatMd } from '../chatmd/write.ts'
import type { Message } from '../message/message.ts'
import { syntaxes } from '../syntax/registry.ts'
import { writeCalloutTranscript } from './callout-transcript.ts'
import type { TranscriptFormat } from './format.ts'
import { writeJsonl } from './jsonl.ts'
import { writeSyntaxTranscript } from './syntax-transcript.ts'

export interface WriteTranscriptOptions {
  /** For a document: whether it contains tool payloads (`inline`, the default) or they are in separate files. */
  payloads?: 'inline' | 'external'
  preamble?: string
}

export interface WriteTranscriptResult {
  text: string
  /** Paths are as the text names them. */
  files: { path: string; text: string }[]
}

export function writeTranscript(
  messages: readonly Message[],
  format: TranscriptFormat,
  options: WriteTranscriptOptions = {},
): WriteTranscriptResult {
  switch (format) {
    case 'chatmd': {
      const records = messages.map(message => ({ type: 'message', message }) as const)
      const { payloads = 'inline', preamble = '' } = options
      const { append, files } = writeChatMd(records, { payloads, after: preamble, bookkeeping: 'apart' })
      return { text: preamble === '' ? append.replace(/^\n/, '') : preamble + append, files }
    }
    case 'callout':
      return { text: writeCalloutTranscript(messages), files: [] }
    case 'ui-messages':
      return { text: `${JSON.stringify(messages.map(toUIMessage), null, 2)}\n`, files: [] }
    case 'jsonl':
      return { text: writeJsonl(messages), files: [] }
    default:
      return { text: writeSyntaxTranscript(messages, syntaxes.get(format)), files: [] }
  }
}
