import { type Chunk, describeCall, isToolPart, type Message } from '@argot/core'
import type { CallLocale } from '@argot/core/stream'
import type { PageLocale } from '../locale/page-locale.ts'

/** What was happening at a chunk: "Ran npm test · failed". */
export function momentWords(
  chunk: Chunk | undefined,
  message: Message | undefined,
  words: PageLocale['machine'],
  locale: CallLocale,
): { text: string; hasFailed: boolean } {
  if (chunk === undefined) return { text: words.moments.start, hasFailed: false }
  const id = 'toolCallId' in chunk ? chunk.toolCallId : undefined
  const part = message?.parts.findLast(one => isToolPart(one) && one.toolInvocation.toolCallId === id)
  if (id !== undefined && part !== undefined && isToolPart(part)) {
    const { verb, subject, result, state } = describeCall(part.toolInvocation, { locale })
    const hasFailed = state === 'failed' || state === 'broken'
    const sentence = [verb, subject].filter(Boolean).join(' ')
    const outcome = result ?? (hasFailed ? locale.states.failed : undefined)
    return { text: outcome === undefined ? sentence : `${sentence} · ${outcome}`, hasFailed }
  }
  return { text: words.moments[findMoment(chunk.type)], hasFailed: chunk.type === 'error' }
}

function findMoment(type: string): keyof PageLocale['machine']['moments'] {
  if (type.startsWith('text-')) return 'writes'
  if (type.startsWith('reasoning-')) return 'thinks'
  if (type === 'finish') return 'end'
  if (type === 'abort') return 'stopped'
  if (type === 'error') return 'failed'
  return type.endsWith('-step') ? 'between' : 'begins'
}
