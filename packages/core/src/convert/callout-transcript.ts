import { isToolPart, type Message } from '../message/message.ts'
import type { ToolInvocation } from '../message/tool-invocation.ts'
import { ArgotError } from '../source/error.ts'
import { accumulate } from '../stream/accumulate.ts'
import type { Chunk } from '../stream/chunk.ts'
import { parkReason } from '../stream/ending.ts'
import { callout, formatCallout } from '../syntax/callout.ts'
import { parse } from '../syntax/parse.ts'
import {
  readMessages,
  readPlainBody,
  stepMark,
  type TranscriptHead,
  tidyParts,
  withoutMarkers,
  writeMessages,
  writePlainBody,
} from './markdown-transcript.ts'

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
  return writeMessages(messages, writeBody)
}

/** Markdown without such comments is one assistant message. */
export function readCalloutTranscript(text: string): Message[] {
  return readMessages(text, readBody)
}

function writeBody(message: Message): string {
  if (message.role !== 'assistant') return writePlainBody(message)
  const blocks: string[] = []
  for (const part of message.parts) {
    if (isToolPart(part)) blocks.push(formatCall(part.toolInvocation, message.id))
    else if (part.type === 'step-start') blocks.push(stepMark)
    else if (part.type === 'text') blocks.push(withoutCalls(part.text))
    else if (part.type === 'reasoning') blocks.push(`<thinking>${part.text}</thinking>`)
  }
  return blocks.map(block => block.trimEnd()).join('\n\n')
}

function formatCall(call: ToolInvocation, messageId: string): string {
  try {
    return formatCallout(toCalloutCall(call))
  } catch (error) {
    if (!(error instanceof ArgotError)) throw error
    const place = `The call \`${call.toolCallId}\` of the message \`${messageId}\` cannot be written as a callout`
    throw new ArgotError(error.code, `${place}. ${error.message}`, { cause: error })
  }
}

/** The call in one of the four states that a callout can express. */
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

/** Text that would be read as a call or a message's head is escaped with a backslash. */
function withoutCalls(text: string): string {
  return withoutMarkers(text).replace(/^( {0,3})>(?=\s*\[!tool[\s\]])/gm, '$1\\>')
}

function readBody(head: TranscriptHead, body: string): Message {
  if (head.role !== 'assistant') return readPlainBody(head, body)
  const accumulator = accumulate({ now: () => 0 })
  accumulator.push({ type: 'start', messageId: head.id })
  const steps = body.split(new RegExp(`^${stepMark}(?:\\r?\\n|$)`, 'm'))
  steps.forEach((text, index) => {
    if (index > 0) accumulator.push({ type: 'start-step' })
    for (const chunk of parse(callout, text, { reasoning: 'parts', step: index })) accumulator.push(chunk)
    if (index > 0) accumulator.push({ type: 'finish-step' })
  })
  accumulator.push({ type: 'finish', messageId: head.id, finishReason: parkReason } satisfies Chunk)
  return { ...head, parts: tidyParts(accumulator.message?.parts ?? []) }
}
