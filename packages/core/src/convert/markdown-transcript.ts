import type { Message, MessagePart } from '../message/message.ts'
import { isToolPart } from '../message/message.ts'
import type { ToolInvocation } from '../message/tool-invocation.ts'
import { type Accumulator, accumulate } from '../stream/accumulate.ts'
import { parkReason } from '../stream/parking.ts'

type TranscriptHead = Omit<Message, 'parts'>

interface CallWriter {
  writeCall(call: ToolInvocation, message: Message): string
  escapeCalls(text: string): string
}

/** The text before the first step has the index 0. */
type ReadStep = (accumulator: Accumulator, text: string, index: number) => void

const stepMark = '<!-- argot step -->'

/**
 * A conversation as Markdown. A comment line before each message has its role and other fields, and reasoning is in
 * `<thinking>`.
 *
 *     <!-- argot message {"role":"user","id":"u1","status":"sent"} -->
 *     What is new?
 */
export function writeMessages(messages: readonly Message[], writer: CallWriter): string {
  return messages
    .map(message => {
      const body = message.role === 'assistant' ? writeReply(message, writer) : writePlainBody(message)
      return `${writeMarker(message)}\n${body}\n`
    })
    .join('')
}

/** Markdown without comments is one assistant message. */
export function readMessages(text: string, readStep: ReadStep): Message[] {
  const readBody = (head: TranscriptHead, body: string): Message =>
    head.role === 'assistant' ? readReply(head, body, readStep) : readPlainBody(head, body)
  const heads = [...text.matchAll(/^<!-- argot message (\{.*\}) -->(?:\r?\n|$)/gm)]
  if (heads.length === 0)
    return text.trim() === '' ? [] : [readBody({ id: 'message-1', role: 'assistant', status: 'sent' }, text)]
  const messages: Message[] = []
  const before = text.slice(0, heads[0]!.index)
  if (before.trim() !== '') messages.push(readBody({ id: 'message-0', role: 'assistant', status: 'sent' }, before))
  heads.forEach((head, index) => {
    const body = text.slice(head.index + head[0].length, heads[index + 1]?.index ?? text.length).replace(/\r?\n$/, '')
    messages.push(readBody(readMarker(head[1]!, index), body))
  })
  return messages
}

function writeReply(message: Message, { writeCall, escapeCalls }: CallWriter): string {
  const blocks = message.parts.flatMap(part => {
    if (isToolPart(part)) return [writeCall(part.toolInvocation, message)]
    if (part.type === 'step-start') return [stepMark]
    if (part.type === 'text') return [escapeCalls(escapeMarkers(part.text))]
    return part.type === 'reasoning' ? [`<thinking>${part.text}</thinking>`] : []
  })
  return blocks.map(block => block.trimEnd()).join('\n\n')
}

function readReply(head: TranscriptHead, body: string, readStep: ReadStep): Message {
  const accumulator = accumulate({ now: () => 0 })
  accumulator.push({ type: 'start', messageId: head.id })
  const steps = body.split(new RegExp(`^${stepMark}(?:\\r?\\n|$)`, 'm'))
  steps.forEach((text, index) => {
    if (index > 0) accumulator.push({ type: 'start-step' })
    readStep(accumulator, text, index)
    if (index > 0) accumulator.push({ type: 'finish-step' })
  })
  accumulator.push({ type: 'finish', messageId: head.id, finishReason: parkReason })
  return { ...head, parts: tidyParts(accumulator.message?.parts ?? []) }
}

function writePlainBody({ parts }: Message): string {
  return escapeMarkers(parts.map(part => (part.type === 'text' ? part.text : '')).join(''))
}

function readPlainBody(head: TranscriptHead, body: string): Message {
  const parts: MessagePart[] = body === '' ? [] : [{ type: 'text', id: '0', text: body, state: 'done' }]
  return { ...head, parts }
}

function escapeMarkers(text: string): string {
  return text.replace(/^<!-- argot /gm, '\\$&')
}

/** Empty lines around calls are layout, and nothing here has a time. */
function tidyParts(parts: readonly MessagePart[]): MessagePart[] {
  return parts.map(tidy).filter(part => part.type !== 'text' || part.text !== '')
}

function tidy(part: MessagePart): MessagePart {
  if (part.type === 'text') return { ...part, text: part.text.trimEnd().replace(/^\s*\n/, '') }
  if (!isToolPart(part)) return part
  const { startedAt: _, endedAt: __, ...toolInvocation } = part.toolInvocation
  return { ...part, toolInvocation } as MessagePart
}

function writeMarker({ parts: _, ...head }: Message): string {
  return `<!-- argot message ${commentJson(head)} -->`
}

/** JSON that can't end the comment it is in. */
export function commentJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('>', '\\u003e')
}

function readMarker(json: string, index: number): TranscriptHead {
  const fallback: TranscriptHead = { id: `message-${index + 1}`, role: 'assistant', status: 'sent' }
  try {
    const head = JSON.parse(json) as Partial<TranscriptHead>
    return typeof head.id === 'string' && typeof head.role === 'string' ? { ...fallback, ...head } : fallback
  } catch {
    return fallback
  }
}
