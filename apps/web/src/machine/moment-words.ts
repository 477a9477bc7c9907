import { type Chunk, describeCall, isToolPart, type Message } from '@argot/core'

/** What was happening when a chunk was said: "Ran npm test · failed". */
export function momentWords(
  chunk: Chunk | undefined,
  message: Message | undefined,
): { text: string; hasFailed: boolean } {
  if (chunk === undefined) return { text: 'The beginning', hasFailed: false }
  const id = 'toolCallId' in chunk ? chunk.toolCallId : undefined
  const part = message?.parts.findLast(one => isToolPart(one) && one.toolInvocation.toolCallId === id)
  if (id !== undefined && part !== undefined && isToolPart(part)) {
    const { verb, subject, result, state } = describeCall(part.toolInvocation)
    const hasFailed = state === 'failed' || state === 'broken'
    const said = [verb, subject].filter(Boolean).join(' ')
    const came = result ?? (hasFailed ? 'failed' : undefined)
    return { text: came === undefined ? said : `${said} · ${came}`, hasFailed }
  }
  return { text: plainWords(chunk.type), hasFailed: chunk.type === 'error' }
}

function plainWords(type: string): string {
  if (type.startsWith('text-')) return 'The model writes'
  if (type.startsWith('reasoning-')) return 'The model thinks'
  if (type === 'finish') return 'The end'
  if (type === 'abort') return 'Stopped'
  if (type === 'error') return 'The run failed'
  return type.endsWith('-step') ? 'Between two steps' : 'The run begins'
}
