import type { Message } from '../message/message.ts'
import type { ToolInvocation } from '../message/tool-invocation.ts'
import { ArgotError } from '../source/error.ts'
import { callout, formatCallout } from '../syntax/callout.ts'
import { parse } from '../syntax/parse.ts'
import { readMessages, writeMessages } from './markdown-transcript.ts'

/**
 * A conversation as readable Markdown. A comment line before each message has its role and other fields, calls are
 * callouts, and reasoning is in `<thinking>`.
 *
 *     <!-- argot message {"role":"user","id":"u1","status":"sent"} -->
 *     What is new?
 *     <!-- argot message {"role":"assistant","id":"m1","status":"sent"} -->
 *     I will look.
 *
 *     > [!tool search call_1]
 *     > input:
 *     >   query: news
 */
export function writeCalloutTranscript(messages: readonly Message[]): string {
  return writeMessages(messages, { writeCall: (call, { id }) => formatCall(call, id), escapeCalls })
}

export function readCalloutTranscript(text: string): Message[] {
  return readMessages(text, (accumulator, step, index) => {
    for (const chunk of parse(callout, step, { reasoning: 'parts', step: index })) accumulator.push(chunk)
  })
}

function formatCall(call: ToolInvocation, messageId: string): string {
  try {
    return formatCallout(toCalloutCall(call))
  } catch (error) {
    if (!(error instanceof ArgotError)) throw error
    const place = `The call \`${call.toolCallId}\` in the message \`${messageId}\` cannot be written as a callout`
    throw new ArgotError(error.code, `${place}. ${error.message}`, { cause: error })
  }
}

function toCalloutCall(call: ToolInvocation): ToolInvocation {
  switch (call.state) {
    case 'output-denied':
      return { ...call, state: 'output-error', errorText: call.approval?.reason ?? 'The call was denied.' }
    case 'approval-requested':
    case 'approval-responded':
      return { ...call, state: 'input-available' }
    default:
      return call
  }
}

function escapeCalls(text: string): string {
  return text.replace(/^( {0,3})>(?=\s*\[!tool[\s\]])/gm, '$1\\>')
}
