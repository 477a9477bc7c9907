import type { Message } from '../message/message.ts'
import type { Diagnostic } from '../source/diagnostic.ts'
import { accumulate } from '../stream/accumulate.ts'
import type { Chunk } from '../stream/chunk.ts'
import { chunkProblem } from '../stream/chunk-problem.ts'
import { messageToChunks } from '../stream/replay.ts'

/**
 * Assistant messages become the chunks that fold to them, all others `{ "message": … }`, because the chunk protocol
 * only covers the assistant.
 */
export function writeJsonl(messages: readonly Message[]): string {
  const lines = messages.flatMap((message): object[] =>
    message.role === 'assistant' ? messageToChunks(message) : [{ message }],
  )
  return lines.map(line => `${JSON.stringify(line)}\n`).join('')
}

/** Reads chunks, run log lines `{ o, t, chunk }`, envelopes and complete messages, one per line. */
export function readJsonl(text: string): { messages: Message[]; diagnostics: Diagnostic[] } {
  const messages: Message[] = []
  const diagnostics: Diagnostic[] = []
  let time = 0
  let accumulator = accumulate({ now: () => time })

  function flush(): void {
    if (accumulator.message === undefined) return
    accumulator.end()
    messages.push(...accumulator.messages)
    diagnostics.push(...accumulator.diagnostics)
    accumulator = accumulate({ now: () => time })
  }

  text.split('\n').forEach((line, index) => {
    const value = parseLine(line)
    if (value === undefined) return
    if (isMessage(value.message)) {
      flush()
      messages.push(value.message)
      return
    }
    if (typeof value.t === 'number') time = value.t
    const chunk = value.chunk ?? value
    if (('argot' in value && index === 0) || isMark(chunk)) return
    const problem = chunkProblem(chunk)
    if (problem === undefined) accumulator.push(chunk as Chunk)
    else {
      diagnostics.push({ code: 'STREAM_BAD_CHUNK', severity: 'warning', message: `Line ${index + 1}: ${problem}` })
    }
  })
  flush()
  return { messages, diagnostics }
}

function parseLine(line: string): Record<string, unknown> | undefined {
  if (line.trim() === '') return undefined
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : { line }
  } catch {
    return { line }
  }
}

/** A run's own marks in its log are not part of a message. They may also follow its end. */
function isMark(chunk: unknown): boolean {
  const { type, transient } = (chunk ?? {}) as Record<string, unknown>
  return transient === true && typeof type === 'string' && type.startsWith('data-argot-')
}

function isMessage(value: unknown): value is Message {
  const message = value as Partial<Message> | null | undefined
  return typeof message?.id === 'string' && typeof message.role === 'string' && Array.isArray(message.parts)
}
