import { accumulate, type Chunk, isToolPart, type Message, type MessagePart } from '@argot/core'
import type { MessageChange } from '@argot/core/stream'
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'

/** A way of reading a whole stream with Argot. */
export interface Reader {
  name: string
  /** Four times the stream must cost four times the time. */
  linear: boolean
  read(chunks: readonly Chunk[]): Message | undefined
}

/** How many chunks come between two pictures of a page. */
const chunksPerFrame = 4

export const pushOnly: Reader = {
  name: '(a) push',
  linear: true,
  read: chunks => feed(chunks, Number.POSITIVE_INFINITY, () => {}),
}

export const takeMessage: Reader = {
  name: '(b) push, take the message after every chunk',
  linear: true,
  read: chunks => feed(chunks, 1, look),
}

/** What a page does: it takes what is new once per frame. */
export const takeFrames: Reader = {
  name: `(c) push, read everything that is new once per frame of ${chunksPerFrame} chunks`,
  linear: false,
  read: chunks => follow(chunks, chunksPerFrame),
}

export const takeChanges: Reader = {
  name: '(d) push, read everything that is new after every chunk',
  linear: false,
  read: chunks => follow(chunks, 1),
}

export const readers: readonly Reader[] = [pushOnly, takeMessage, takeFrames, takeChanges]

/**
 * Reads a whole stream with the AI SDK, which makes a snapshot of the message after every chunk; its newest part is read.
 * It changes the chunks it gets, so it gets `chunks` for itself.
 */
export async function readWithPeer(chunks: readonly Chunk[]): Promise<UIMessage | undefined> {
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk as UIMessageChunk)
      controller.close()
    },
  })
  let last: UIMessage | undefined
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) {
    last = message
    const part = message.parts.at(-1)
    if (part !== undefined) touchPart(part as MessagePart)
  }
  return last
}

/** The texts and inputs of a message as JSON: a reader that gets less done must not win. */
export function contentOf(message: Message | UIMessage | undefined): string {
  const parts = (message?.parts ?? []) as readonly Record<string, unknown>[]
  return JSON.stringify(
    parts.flatMap(part => {
      if (part.type === 'text') return [part.text]
      const call = 'toolInvocation' in part ? (part.toolInvocation as Record<string, unknown>) : part
      return 'toolCallId' in call ? [[call.toolCallId, call.state, call.input, call.output]] : []
    }),
  )
}

/** What was read; kept so that no reading can be optimised away. */
export let traces = 0

function feed(chunks: readonly Chunk[], every: number, visit: (message: Message) => void): Message | undefined {
  const accumulator = accumulate()
  let left = every
  for (const chunk of chunks) {
    accumulator.push(chunk)
    if (--left > 0) continue
    left = every
    const { message } = accumulator
    if (message !== undefined) visit(message)
  }
  accumulator.end()
  return accumulator.message
}

function follow(chunks: readonly Chunk[], every: number): Message | undefined {
  const accumulator = accumulate()
  const reader = accumulator.reader()
  let left = every
  for (const chunk of chunks) {
    accumulator.push(chunk)
    if (--left > 0) continue
    left = every
    for (const change of reader.changes()) touchChange(change)
  }
  accumulator.end()
  return accumulator.message
}

let previous: Message | undefined

/** What a list of messages looks at to know what to render: identity, states and lengths, no string. */
function look(message: Message): void {
  if (message !== previous) traces++
  previous = message
  traces += message.status.length + message.parts.length
  const part = message.parts[message.parts.length - 1]
  if (part === undefined) return
  if (part.type === 'text') traces += part.state.length + part.text.length
  else if (isToolPart(part)) traces += part.toolInvocation.state.length
}

/** What somebody reads who draws a change. */
function touchChange(change: MessageChange): void {
  if (change.type === 'appended') touch(change.text)
  else if (change.type === 'changed' && change.grown !== undefined) touch(change.grown.text)
  else if ('part' in change) touchPart(change.part)
}

function touchPart(part: MessagePart): void {
  if (part.type === 'text') touch(part.text)
  const { input } = (isToolPart(part) ? part.toolInvocation : part) as { input?: unknown }
  touch(input)
  if (typeof input !== 'object' || input === null) return
  for (const value of Object.values(input)) touch(value)
}

/** Makes V8 join a string that was built by appending, as drawing it would. */
function touch(value: unknown): void {
  if (typeof value === 'string') traces += value.charCodeAt(value.length - 1) || 0
  else if (Array.isArray(value)) traces += value.length
}
