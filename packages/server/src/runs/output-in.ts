import type { Chunk } from 'argot'

/** The output that a chunk gives of a call. A call of an agent inside another is named `CALL/CALL`, as where it is asked about. */
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
