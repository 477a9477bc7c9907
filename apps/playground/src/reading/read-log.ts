import type { Chunk } from '@argot/core'
import { argotMetadata } from '@argot/core/stream'
import type { CallReading, ReadEvent } from './reading.ts'
import type { CallRange } from './source-map.ts'

/** With more steps than this, the slider moves by several characters. */
const MOST_EVENTS = 20_000

/** A reader's output, and when it came. For long replies, text that comes out character by character is joined. */
export class ReadLog {
  readonly events: ReadEvent[] = []
  readonly #calls = new Map<string, Omit<CallReading, 'start' | 'end'>>()
  readonly #step: number

  constructor(length: number) {
    this.#step = Math.max(1, Math.ceil(length / MOST_EVENTS))
  }

  add(at: number, end: number, chunks: Chunk[]): void {
    for (const chunk of chunks) this.#note(chunk, at)
    const last = this.events.at(-1)
    const isNear = last !== undefined && Math.floor(last.at / this.#step) === Math.floor(at / this.#step)
    if (!isNear) {
      this.events.push({ at, end, chunks })
      return
    }
    last.at = at
    last.end = end
    last.chunks = joinDeltas(last.chunks, chunks)
  }

  toCall({ id, start, end }: CallRange): CallReading {
    const call = this.#calls.get(id) ?? { id, toolName: 'unknown', openedAt: end, settledAt: end }
    return { ...call, start, end }
  }

  #note(chunk: Chunk, at: number): void {
    if (!('toolCallId' in chunk)) return
    const id = chunk.toolCallId
    const call = this.#calls.get(id) ?? { id, toolName: 'unknown', openedAt: at, settledAt: Number.POSITIVE_INFINITY }
    this.#calls.set(id, call)
    if ('toolName' in chunk && chunk.toolName !== undefined) call.toolName = chunk.toolName
    const { dialect, repaired, code = '', offset } = argotMetadata(chunk) ?? {}
    call.dialect ??= dialect
    if (chunk.type === 'tool-input-available') Object.assign(call, { input: chunk.input, repaired, settledAt: at })
    if (chunk.type === 'tool-input-error' || chunk.type === 'tool-output-error') {
      Object.assign(call, { failure: { code, message: chunk.errorText, offset }, settledAt: at })
    }
  }
}

function joinDeltas(before: Chunk[], chunks: readonly Chunk[]): Chunk[] {
  for (const chunk of chunks) {
    const last = before.at(-1)
    const isSame = chunk.type === 'text-delta' && last?.type === 'text-delta' && last.id === chunk.id
    if (isSame) before[before.length - 1] = { ...last, delta: last.delta + chunk.delta }
    else before.push(chunk)
  }
  return before
}
