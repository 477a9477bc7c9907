import { setTimeout as sleep } from 'node:timers/promises'
import { type Chunk, isToolPart, type Message } from '@argot/core'
import type { LogLine } from '@argot/core/stream'

/** The time inside a replay. It follows the recording, whatever the playback speed. */
export class ReplayClock {
  readonly #speed: number
  #time = 0
  /** When the current wait started, in real time. */
  #waitSince: number | undefined
  #times: ReadonlyMap<Chunk, number> = new Map()
  /** Each tool's duration, if the message has it, and when it started here. */
  #durations: ReadonlyMap<string, number> = new Map()
  readonly #startTimes: Map<string, number> = new Map()

  /** 1 is the original speed, `Infinity` doesn't wait. */
  constructor(speed: number) {
    this.#speed = speed
  }

  /** Milliseconds of the recording. */
  readonly now = (): number =>
    this.#waitSince === undefined || this.#speed === Number.POSITIVE_INFINITY
      ? this.#time
      : this.#time + (Date.now() - this.#waitSince) * this.#speed

  readonly pause = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
    if (this.#speed !== Number.POSITIVE_INFINITY) {
      this.#waitSince = Date.now()
      await sleep(milliseconds / this.#speed, undefined, signal === undefined ? {} : { signal }).catch(() => {})
      this.#waitSince = undefined
    }
    this.#time += milliseconds
  }

  follow(source: Message | readonly LogLine[]): void {
    this.#startTimes.clear()
    if ('parts' in source) {
      this.#times = new Map()
      this.#durations = new Map(
        source.parts.filter(isToolPart).flatMap(({ toolInvocation: call }) => getDuration(call)),
      )
    } else {
      const offset = this.#time - (source[0]?.t ?? 0)
      this.#times = new Map(source.map(({ chunk, t }) => [chunk, t + offset]))
      this.#durations = new Map()
    }
  }

  /** The replay has reached this chunk. Long waits were shortened, so the time catches up here. */
  reach(chunk: Chunk): void {
    const time = this.#times.get(chunk) ?? this.#findEnd(chunk)
    if (time !== undefined) this.#time = Math.max(this.#time, time)
  }

  #findEnd(chunk: Chunk): number | undefined {
    if (!('toolCallId' in chunk)) return undefined
    const { toolCallId, type } = chunk
    if (type === 'tool-input-available' || type === 'tool-approval-response')
      this.#startTimes.set(toolCallId, this.#time)
    const duration = this.#durations.get(toolCallId)
    const began = this.#startTimes.get(toolCallId)
    if (!type.startsWith('tool-output-') || duration === undefined || began === undefined) return undefined
    return began + duration
  }
}

function getDuration(call: { toolCallId: string; startedAt?: number; endedAt?: number }): [string, number][] {
  const { toolCallId, startedAt, endedAt } = call
  return startedAt === undefined || endedAt === undefined ? [] : [[toolCallId, endedAt - startedAt]]
}
