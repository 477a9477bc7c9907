import { ChatStore } from '@mui/x-chat-headless/store'
import { processStream } from '@mui/x-chat-headless/stream'
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import { type Chunk, toMuiStream, WireAdapter } from 'argot'
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
