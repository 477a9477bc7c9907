import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import { accumulate, type Chunk, isToolPart, type Message, type MessageChange, type MessagePart } from 'argot'

/** A way of reading a whole stream with Argot. */
export interface Reader {
  name: string
  /** Four times the stream must cost four times the time. */
  linear: boolean
  read(chunks: readonly Chunk[]): Message | undefined
}

/** How often (c) reads: about once per frame of a fast model. */
const chunksPerFrame = 256

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

export const readStrings: Reader = {
  name: `(c) push, read every string once per ${chunksPerFrame} chunks`,
  linear: false,
  read: chunks => feed(chunks, chunksPerFrame, touchStrings),
}

export const takeChanges: Reader = {
  name: '(d) push, read everything that is new after every chunk',
  linear: false,
  read: chunks => {
    const accumulator = accumulate()
    const reader = accumulator.reader()
    for (const chunk of chunks) {
      accumulator.push(chunk)
      for (const change of reader.changes()) touchChange(change)
    }
    accumulator.end()
    return accumulator.message
  },
}

export const readers: readonly Reader[] = [pushOnly, takeMessage, readStrings, takeChanges]

/**
 * Reads a whole stream with the AI SDK, which makes a snapshot of the message after every chunk, whoever looks at it.
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
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message
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

/** What reading costs without any reader: a string that grows by deltas and is read once per frame. */
export function appendBare(deltas: number): void {
  let text = ''
  for (let count = 1; count <= deltas; count++) {
    text += 'sixteen letters.'
    if (count % chunksPerFrame === 0) touch(text)
  }
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
  else if ('part' in change) touchPart(change.part)
}

/** What a renderer does once per frame: reads every text, and every string and the size of every list of an input. */
function touchStrings(message: Message): void {
  for (const part of message.parts) touchPart(part)
}

function touchPart(part: MessagePart): void {
  if (part.type === 'text') touch(part.text)
  if (!isToolPart(part)) return
  const { input } = part.toolInvocation as { input?: unknown }
  touch(input)
  if (typeof input !== 'object' || input === null) return
  for (const value of Object.values(input)) touch(value)
}

/** Makes V8 join a string that was built by appending, as drawing it would. */
function touch(value: unknown): void {
  if (typeof value === 'string') traces += value.charCodeAt(value.length - 1) || 0
  else if (Array.isArray(value)) traces += value.length
}
