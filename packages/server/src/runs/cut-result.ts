import { createHash } from 'node:crypto'
import { type Chunk, isToolPart, type Message, type ToolInvocation } from '@argot/core'
import { firstCharacters } from '@argot/core/stream/internal'

/** How much of a result that is too long is sent. */
const SHOWN_CHARACTERS = 64 * 1024

/** Describes the whole result, of which only the beginning is sent. */
export interface FullResult {
  bytes: number
  sha256: string
}

/** Cuts a result in the chunk that is too large for clients. The call's route has all of it. */
export function cutChunk(chunk: Chunk, most: number): Chunk {
  if (chunk.type === 'data-argot-sub' && 'data' in chunk) return cutInner(chunk, most)
  if (chunk.type !== 'tool-output-available') return chunk
  const cut = cutOutput(chunk.output, most)
  if (cut === undefined) return chunk
  const { output, full } = cut
  return { ...chunk, output, providerMetadata: withFull(chunk.providerMetadata, full) }
}

/** Cuts results that an agent inside a call received. */
function cutInner<Sub extends Chunk & { data: unknown }>(chunk: Sub, most: number): Sub {
  const data = chunk.data as { chunk?: Chunk } | null
  if (data?.chunk === undefined) return chunk
  const inner = cutChunk(data.chunk, most)
  return inner === data.chunk ? chunk : { ...chunk, data: { ...data, chunk: inner } }
}

export function cutMessage(message: Message, most: number): Message {
  if (!message.parts.some(isToolPart)) return message
  return {
    ...message,
    parts: message.parts.map(part =>
      isToolPart(part) ? { ...part, toolInvocation: cutCall(part.toolInvocation, most) } : part,
    ) as Message['parts'],
  }
}

function cutCall(call: ToolInvocation, most: number): ToolInvocation {
  const cut = 'output' in call ? cutOutput(call.output, most) : undefined
  if (cut === undefined) return call
  return {
    ...call,
    output: cut.output,
    resultProviderMetadata: withFull(call.resultProviderMetadata, cut.full),
  } as ToolInvocation
}

function withFull(
  metadata: Record<string, unknown> | undefined,
  full: FullResult,
): Record<string, Record<string, unknown>> {
  const argot = (metadata?.argot ?? {}) as Record<string, unknown>
  return { ...(metadata as Record<string, Record<string, unknown>>), argot: { ...argot, full } }
}

function cutOutput(output: unknown, most: number): { output: string; full: FullResult } | undefined {
  const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '')
  if (text.length * 3 <= most) return undefined
  const bytes = Buffer.byteLength(text)
  if (bytes <= most) return undefined
  const sha256 = createHash('sha256').update(text).digest('hex')
  return { output: `${firstCharacters(text, SHOWN_CHARACTERS)}\n… (${bytes} bytes in all)`, full: { bytes, sha256 } }
}

/** A call's output in a chunk. A nested agent's call is named `CALL/CALL`, as in questions about it. */
export function outputIn(chunk: Chunk, toolCallId: string): { value: unknown } | undefined {
  if (chunk.type === 'tool-output-available') {
    return chunk.toolCallId === toolCallId && chunk.preliminary !== true ? { value: chunk.output } : undefined
  }
  if (chunk.type !== 'data-argot-sub' || !('data' in chunk)) return undefined
  const inner = chunk.data as { toolCallId?: unknown; chunk?: Chunk } | null
  const outer = `${String(inner?.toolCallId)}/`
  if (inner?.chunk === undefined || !toolCallId.startsWith(outer)) return undefined
  return outputIn(inner.chunk, toolCallId.slice(outer.length))
}
