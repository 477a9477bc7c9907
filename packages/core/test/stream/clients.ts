import type { Chunk } from '@argot/core'
import { toMuiStream, WireAdapter } from '@argot/core/stream'
import { ChatStore } from '@mui/x-chat-headless/store'
import { processStream } from '@mui/x-chat-headless/stream'
import { readUIMessageStream, safeValidateUIMessages, type UIMessage, type UIMessageChunk } from 'ai'
import { expect } from 'vitest'
import { asJson } from './laws.ts'

/** The chunks as a client of the AI SDK gets them. */
export function forAiSdk(chunks: readonly Chunk[]): Chunk[] {
  const adapter = new WireAdapter('ai-sdk')
  return chunks.flatMap(chunk => adapter.push(chunk))
}

/** The message that the AI SDK's own client makes of a stream. */
export async function readWithAiSdk(chunks: readonly Chunk[]): Promise<UIMessage | undefined> {
  // A copy: the client writes into the chunks that it gets.
  const sent = asJson(forAiSdk(chunks)) as UIMessageChunk[]
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of sent) controller.enqueue(chunk)
      controller.close()
    },
  })
  let failure: unknown
  let last: UIMessage | undefined
  const onError = (error: unknown): void => {
    if (!chunks.some(chunk => chunk.type === 'error')) failure = error
  }
  for await (const message of readUIMessageStream({ stream, onError })) last = message
  if (failure !== undefined) throw failure
  return last && asJson(last)
}

/** Every message that the AI SDK's own reader shows of these chunks, each of them validated by the AI SDK. */
export async function everyMoment(chunks: readonly Chunk[], message?: UIMessage): Promise<UIMessage[]> {
  const moments: UIMessage[] = []
  const sent = asJson(forAiSdk(chunks)) as UIMessageChunk[]
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of sent) controller.enqueue(chunk)
      controller.close()
    },
  })
  const before = message === undefined ? {} : { message: asJson(message) }
  const failures: unknown[] = []
  for await (const moment of readUIMessageStream({ stream, ...before, onError: error => failures.push(error) })) {
    const json = asJson(moment)
    await expectValid(json)
    moments.push(json)
  }
  expect(failures).toHaveLength(chunks.filter(chunk => chunk.type === 'error').length)
  return moments
}

export async function expectValid(message: unknown): Promise<void> {
  const result = await safeValidateUIMessages({ messages: [message] })
  if (!result.success) expect.fail(`${JSON.stringify(message)} is not valid: ${result.error.message.slice(0, 500)}`)
}

/** The message that MUI X Chat makes of a stream. */
export async function readWithMui(chunks: readonly Chunk[]): Promise<MuiMessage | undefined> {
  const store = new ChatStore()
  const source = (async function* () {
    yield* asJson(chunks)
  })()
  try {
    await processStream(store, toMuiStream(source) as Parameters<typeof processStream>[1], { flushInterval: 0 })
  } catch (error) {
    if (!chunks.some(chunk => chunk.type === 'error')) throw error
  }
  const id = store.state.messageIds.at(-1)
  return id === undefined ? undefined : (asJson(store.state.messagesById[id]) as unknown as MuiMessage)
}

export interface MuiMessage {
  id: string
  status: string
  metadata?: Record<string, unknown>
  parts: MuiPart[]
}

export interface MuiPart {
  type: string
  text?: string
  state?: string
  toolInvocation?: Record<string, unknown>
  [field: string]: unknown
}
