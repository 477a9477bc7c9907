import { ChatStore } from '@mui/x-chat-headless/store'
import { processStream } from '@mui/x-chat-headless/stream'
import { JSONParser } from '@streamparser/json'
import { readUIMessageStream, type UIMessageChunk } from 'ai'
import { type Accumulator, accumulate, type Chunk, type MessageChange, PartialJson, toMuiStream } from 'argot'
import { parse as jsonriver } from 'jsonriver'
import { parse as partialJson } from 'partial-json'
import { manyCalls, plainText, type StreamCase, structured } from './stream-cases.ts'

/** One way of reading a stream to its end, with everything that is new read after every chunk. */
export interface Row {
  name: string
  /** Ten times the stream must cost ten times the time. */
  linear?: boolean
  /** The largest of 1, 10 and 100 that is measured; beyond it would take minutes. */
  upTo: number
  /** Reads the whole stream of this size; what is made beforehand is not measured. */
  prepare(size: number): () => unknown
}

/** Rows that read the same stream. */
export interface ReadingTable {
  name: string
  unit: string
  /** The size of 1×. */
  base: number
  rows: readonly Row[]
}

/** What was read; kept so that no reading can be optimised away. */
export let read = 0

/** A change as somebody who draws it reads it. */
function readChange(change: MessageChange): void {
  if (change.type === 'appended') read += change.text.charCodeAt(0)
  else if (change.type === 'message') read += change.message.status.length
  else if (change.type !== 'removed') readPart(change.part as { type: string })
}

function readPart(part: object): void {
  if ('text' in part) touch(part.text)
  else if ('toolInvocation' in part) readCall(part.toolInvocation as { state: string; input?: unknown })
  else if ('toolCallId' in part) readCall(part as unknown as { state: string; input?: unknown })
}

function readCall(call: { state: string; input?: unknown }): void {
  read += call.state.length
  readNewest(call.input)
}

/** Goes down to the newest value: the last entry of the last entry and so on. All older ones were read before. */
function readNewest(value: unknown): void {
  let newest = value
  while (typeof newest === 'object' && newest !== null) {
    read++
    newest = Array.isArray(newest) ? newest[newest.length - 1] : lastOf(newest as Record<string, unknown>)
  }
  touch(newest)
}

function lastOf(object: Record<string, unknown>): unknown {
  let last: unknown
  for (const key in object) last = object[key]
  return last
}

/** Makes V8 join a string that was built by appending, as drawing it would. */
function touch(value: unknown): void {
  if (typeof value === 'string') read += value.charCodeAt(value.length - 1) || 0
}

/** `every`: so many chunks come between two looks. */
function withChanges(stream: StreamCase, every: number): Row {
  const rhythm = every === 1 ? 'after every chunk' : `once per ${every} chunks`
  return {
    name: `changes() ${rhythm}`,
    linear: stream !== structured,
    upTo: 100,
    prepare: size => {
      const chunks = stream.chunks(size)
      return () => {
        const accumulator = accumulate()
        const reader = accumulator.reader()
        let left = every
        for (const chunk of chunks) {
          accumulator.push(chunk)
          if (--left > 0) continue
          left = every
          for (const change of reader.changes()) readChange(change)
        }
      }
    },
  }
}

/** A page that takes a snapshot after every chunk and reads its newest part. */
function withMessage(stream: StreamCase, upTo: number): Row {
  return {
    name: 'message after every chunk, its newest part read',
    upTo,
    prepare: size => {
      const chunks = stream.chunks(size)
      return () => {
        const accumulator: Accumulator = accumulate()
        for (const chunk of chunks) {
          accumulator.push(chunk)
          const part = accumulator.message?.parts.at(-1)
          if (part !== undefined) readPart(part)
        }
      }
    },
  }
}

function withAi(stream: StreamCase, upTo: number): Row {
  return {
    name: 'ai 6.0.326 readUIMessageStream, its newest part read',
    upTo,
    prepare: size => {
      const chunks = stream.chunks(size)
      return async () => {
        // It writes into the chunks that it gets.
        const own = chunks.map(chunk => ({ ...chunk })) as unknown as UIMessageChunk[]
        const source = new ReadableStream<UIMessageChunk>({
          start(controller) {
            for (const chunk of own) controller.enqueue(chunk)
            controller.close()
          },
        })
        for await (const message of readUIMessageStream({ stream: source, terminateOnError: true })) {
          const part = message.parts.at(-1)
          if (part !== undefined) readPart(part)
        }
      }
    },
  }
}

function withMui(stream: StreamCase, upTo: number): Row {
  return {
    name: 'MUI X Chat 9.0.0-alpha.18, its newest part read',
    upTo,
    prepare: size => {
      const chunks = stream.chunks(size)
      return async () => {
        const store = new ChatStore()
        async function* source(): AsyncGenerator<Chunk> {
          for (const chunk of chunks) {
            yield { ...chunk }
            const id = store.state.messageIds.at(-1)
            const part = id === undefined ? undefined : store.state.messagesById[id]?.parts.at(-1)
            if (part !== undefined) readPart(part)
          }
        }
        await processStream(store, toMuiStream(source()) as Parameters<typeof processStream>[1], { flushInterval: 0 })
      }
    },
  }
}

/** The deltas of the structured argument alone, for readers of JSON. */
function jsonDeltas(size: number): string[] {
  return structured.chunks(size).flatMap(chunk => (chunk.type === 'tool-input-delta' ? [chunk.inputTextDelta] : []))
}

function forJson(name: string, upTo: number, readAll: (deltas: readonly string[]) => unknown, linear = false): Row {
  return {
    name,
    linear,
    upTo,
    prepare: size => {
      const deltas = jsonDeltas(size)
      return () => readAll(deltas)
    },
  }
}

export const liveValue: Row = forJson('PartialJson.value, live', 100, readLive, true)
export const captured: Row = forJson('PartialJson.capture().value, a snapshot', 100, readCaptures)
export const river: Row = forJson('jsonriver 1.1.1, live', 100, readRiver)

function readLive(deltas: readonly string[]): void {
  const json = new PartialJson()
  for (const delta of deltas) {
    json.push(delta)
    readNewest(json.value)
  }
}

function readCaptures(deltas: readonly string[]): void {
  const json = new PartialJson()
  for (const delta of deltas) {
    json.push(delta)
    readNewest(json.capture().value)
  }
}

async function readRiver(deltas: readonly string[]): Promise<void> {
  async function* source(): AsyncGenerator<string> {
    yield* deltas
  }
  for await (const value of jsonriver(source())) readNewest(value)
}

function readStreamParser(deltas: readonly string[]): void {
  const parser = new JSONParser({ emitPartialTokens: true, emitPartialValues: true })
  let root: unknown
  let newest: unknown
  parser.onValue = ({ value, stack }) => {
    root = stack[1]?.value ?? root
    newest = value
  }
  for (const delta of deltas) {
    parser.write(delta)
    readNewest(root)
    touch(newest)
  }
}

function readPartialJson(deltas: readonly string[]): void {
  let text = ''
  for (const delta of deltas) {
    text += delta
    readNewest(partialJson(text))
  }
}

const manyKeys: StreamCase = {
  name: 'metadata',
  unit: 'deltas',
  chunks: size => [
    { type: 'start', messageId: 'message-1' },
    ...Array.from(
      { length: size },
      (_, index): Chunk => ({ type: 'message-metadata', messageMetadata: { [`key-${index}`]: index } }),
    ),
  ],
}

const metadataAtTheEnd: Row = {
  name: 'push, the metadata read at the end',
  linear: true,
  upTo: 100,
  prepare: size => {
    const chunks = manyKeys.chunks(size)
    return () => {
      const accumulator = accumulate()
      for (const chunk of chunks) accumulator.push(chunk)
      read += Object.keys(accumulator.message?.metadata ?? {}).length
    }
  },
}

export const tables: readonly ReadingTable[] = [
  {
    name: 'Plain text',
    unit: 'deltas',
    base: 640,
    rows: [
      withChanges(plainText, 1),
      withChanges(plainText, 4),
      withMessage(plainText, 10),
      withAi(plainText, 10),
      withMui(plainText, 10),
    ],
  },
  {
    name: 'A structured argument, JSON alone',
    unit: 'deltas',
    base: 160,
    rows: [
      liveValue,
      captured,
      river,
      forJson('@streamparser/json 0.0.26, live', 100, readStreamParser),
      forJson('partial-json 0.1.7, parsed again each time', 10, readPartialJson),
    ],
  },
  {
    name: 'A structured argument in a message',
    unit: 'deltas',
    base: 160,
    rows: [
      withChanges(structured, 1),
      withChanges(structured, 4),
      withMessage(structured, 100),
      withAi(structured, 10),
    ],
  },
  {
    name: 'More and more calls',
    unit: 'calls',
    base: 160,
    rows: [withChanges(manyCalls, 1), withChanges(manyCalls, 4), withMessage(manyCalls, 10), withAi(manyCalls, 1)],
  },
  {
    name: 'More and more keys of metadata',
    unit: 'chunks',
    base: 40,
    rows: [
      metadataAtTheEnd,
      { ...withChanges(manyKeys, 1), name: 'changes() after every chunk' },
      withAi(manyKeys, 10),
    ],
  },
]
