import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Chunk } from '@argot/core'
import { toMuiStream } from '@argot/core/stream'
import { ChatStore } from '@mui/x-chat-headless/store'
import { processStream } from '@mui/x-chat-headless/stream'
import { readUIMessageStream, type UIMessageChunk } from 'ai'
import { AssistantMessageAccumulator, type AssistantStreamChunk } from 'assistant-stream'
import { readPart } from './read-newest.ts'
import type { Row } from './reading-table.ts'
import type { StreamCase } from './stream-cases.ts'

type ReadUIMessages = typeof readUIMessageStream

/** The folder with `ai` 7 in it, which needs a newer Node than this repository: `npm run bench:node24` brings both. */
const folderOfAi7 = process.env.ARGOT_BENCH_AI7

/** `readUIMessageStream` of `ai` 7, where it is there. */
const ai7 = folderOfAi7 === undefined ? undefined : await loadAi7(folderOfAi7)

async function loadAi7(folder: string): Promise<{ read: ReadUIMessages; version: string }> {
  const require = createRequire(pathToFileURL(`${folder}/`))
  const { version } = require('ai/package.json') as { version: string }
  const { readUIMessageStream: read } = (await import(pathToFileURL(require.resolve('ai')).href)) as {
    readUIMessageStream: ReadUIMessages
  }
  return { read, version }
}

/** What is not measured here, and how it could be. */
export const absent: string =
  ai7 === undefined ? '`ai` 7 is not here: it needs Node 22 or newer. `npm run bench:node24` brings both.\n' : ''

/** `readUIMessageStream` of `ai` 6 and, where it is there, of `ai` 7. `upTo`: of 1, 10 and 100. */
export function withAi(stream: StreamCase, upTo: number): Row[] {
  const rows = [readWith(readUIMessageStream, 'ai 6.0.326', stream, upTo)]
  return ai7 === undefined ? rows : [...rows, readWith(ai7.read, `ai ${ai7.version}`, stream, upTo)]
}

function readWith(readMessages: ReadUIMessages, name: string, stream: StreamCase, upTo: number): Row {
  return {
    name: `${name} readUIMessageStream, its newest part read`,
    upTo,
    prepare: size => {
      const chunks = stream.chunks(size)
      return async () => {
        // It writes into the chunks that it gets.
        const own = chunks.map(chunk => ({ ...chunk })) as unknown as UIMessageChunk[]
        for await (const message of readMessages({ stream: streamOf(own), terminateOnError: true })) {
          const part = message.parts.at(-1)
          if (part !== undefined) readPart(part)
        }
      }
    },
  }
}

/** The store of MUI X Chat. It keeps no input before that is whole; `reads` says so where it matters. */
export function withMui(stream: StreamCase, upTo: number, reads: string = 'its newest part read'): Row {
  return {
    name: `MUI X Chat 9.0.0-alpha.18, ${reads}`,
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

/** The accumulator of assistant-ui, which gets its own chunks: what translating ours would cost is not counted. */
export function withAssistantStream(stream: StreamCase, upTo: number): Row {
  return {
    name: 'assistant-stream 0.3.44, its newest part read',
    upTo,
    prepare: size => {
      const chunks = toAssistantChunks(stream.chunks(size))
      return async () => {
        const messages = streamOf(chunks).pipeThrough(new AssistantMessageAccumulator())
        for await (const message of messages) {
          const part = message.parts.at(-1)
          if (part !== undefined) readPart(part)
        }
      }
    },
  }
}

function toAssistantChunks(chunks: readonly Chunk[]): AssistantStreamChunk[] {
  const parts = new Map<string, number>()
  const path = (id: string): readonly number[] => [parts.get(id)!]
  return chunks.flatMap((chunk): AssistantStreamChunk[] => {
    switch (chunk.type) {
      case 'text-start':
        parts.set(chunk.id, parts.size)
        return [{ type: 'part-start', path: [], part: { type: 'text' } }]
      case 'text-delta':
        return [{ type: 'text-delta', path: path(chunk.id), textDelta: chunk.delta }]
      case 'text-end':
        return [{ type: 'part-finish', path: path(chunk.id) }]
      case 'tool-input-start': {
        const { toolCallId, toolName } = chunk
        parts.set(toolCallId, parts.size)
        return [{ type: 'part-start', path: [], part: { type: 'tool-call', toolCallId, toolName } }]
      }
      case 'tool-input-delta':
        return [{ type: 'text-delta', path: path(chunk.toolCallId), textDelta: chunk.inputTextDelta }]
      case 'tool-input-available':
        return [{ type: 'tool-call-args-text-finish', path: path(chunk.toolCallId) }]
      case 'tool-output-available': {
        const at = path(chunk.toolCallId)
        return [
          { type: 'result', path: at, result: String(chunk.output), isError: false },
          { type: 'part-finish', path: at },
        ]
      }
      default:
        return []
    }
  })
}

function streamOf<T>(items: readonly T[]): ReadableStream<T> {
  return new ReadableStream<T>({
    start(controller) {
      for (const item of items) controller.enqueue(item)
      controller.close()
    },
  })
}
