import { isToolPart, type Message, type MessagePart } from '../message/message.ts'
import type { ToolInvocation } from '../message/tool-invocation.ts'
import { ArgotError } from '../source/error.ts'
import { accumulate } from '../stream/accumulate.ts'
import type { Chunk } from '../stream/chunk.ts'
import { callout, formatCallout } from '../syntax/callout.ts'
import { parse } from '../syntax/parse.ts'

/**
 * A conversation as Markdown that people read: a comment line before each message says whose it is, calls are
 * callouts, reasoning stands in `<thinking>`.
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
  return messages.map(message => `${marker(message)}\n${writeBody(message)}\n`).join('')
}

/** Markdown without such comments is one message of the assistant. */
export function readCalloutTranscript(text: string): Message[] {
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

type Head = Omit<Message, 'parts'>

function marker({ parts: _, ...head }: Message): string {
  return `<!-- argot message ${JSON.stringify(head).replaceAll('>', '\\u003e')} -->`
}

function readMarker(json: string, index: number): Head {
  const fallback: Head = { id: `message-${index + 1}`, role: 'assistant', status: 'sent' }
  try {
    const head = JSON.parse(json) as Partial<Head>
    return typeof head.id === 'string' && typeof head.role === 'string' ? { ...fallback, ...head } : fallback
  } catch {
    return fallback
  }
}

const step = '<!-- argot step -->'

function writeBody(message: Message): string {
  if (message.role !== 'assistant')
    return withoutMarkers(message.parts.map(part => (part.type === 'text' ? part.text : '')).join(''))
  const blocks: string[] = []
  for (const part of message.parts) {
    if (isToolPart(part)) blocks.push(formatCall(part.toolInvocation, message.id))
    else if (part.type === 'step-start') blocks.push(step)
    else if (part.type === 'text') blocks.push(withoutCalls(part.text))
    else if (part.type === 'reasoning') blocks.push(`<thinking>${part.text}</thinking>`)
  }
  return blocks.map(block => block.trimEnd()).join('\n\n')
}

/** A call that the syntax cannot carry is named. */
function formatCall(call: ToolInvocation, messageId: string): string {
  try {
    return formatCallout(sayable(call))
  } catch (error) {
    if (!(error instanceof ArgotError)) throw error
    const place = `The call \`${call.toolCallId}\` of the message \`${messageId}\` cannot be written as a callout`
    throw new ArgotError(error.code, `${place}. ${error.message}`, { cause: error })
  }
}

/** The call in one of the four states that a callout knows. */
function sayable(call: ToolInvocation): ToolInvocation {
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

/** Text that would be read as a call or as the head of a message is escaped the Markdown way. */
function withoutCalls(text: string): string {
  return withoutMarkers(text).replace(/^( {0,3})>(?=\s*\[!tool[\s\]])/gm, '$1\\>')
}

function withoutMarkers(text: string): string {
  return text.replace(/^<!-- argot /gm, '\\$&')
}

function readBody(head: Head, body: string): Message {
  if (head.role !== 'assistant') {
    const parts: MessagePart[] = body === '' ? [] : [{ type: 'text', id: '0', text: body, state: 'done' }]
    return { ...head, parts }
  }
  const accumulator = accumulate({ now: () => 0 })
  accumulator.push({ type: 'start', messageId: head.id })
  const steps = body.split(new RegExp(`^${step}(?:\\r?\\n|$)`, 'm'))
  steps.forEach((text, index) => {
    if (index > 0) accumulator.push({ type: 'start-step' })
    for (const chunk of parse(callout, text, { reasoning: 'parts', request: index })) accumulator.push(chunk)
    if (index > 0) accumulator.push({ type: 'finish-step' })
  })
  accumulator.push({ type: 'finish', messageId: head.id, finishReason: 'tool-calls' } satisfies Chunk)
  const parts = accumulator.message!.parts.map(tidy).filter(part => part.type !== 'text' || part.text !== '')
  return { ...head, parts }
}

/** The blank lines around calls are layout, and nothing here has a time. */
function tidy(part: MessagePart): MessagePart {
  if (part.type === 'text') return { ...part, text: part.text.trimEnd().replace(/^\s*\n/, '') }
  if (!isToolPart(part)) return part
  const { startedAt: _, endedAt: __, ...toolInvocation } = part.toolInvocation
  return { ...part, toolInvocation } as MessagePart
}
