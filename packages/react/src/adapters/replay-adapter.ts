import { type Chunk, type Message, replay } from '@argot/core'
import type { LogLine } from '@argot/core/stream'
import { rewindMark } from '../store/run/stream-run.ts'
import { Topic } from '../store/topic.ts'
import type { ChatAdapter, ChatStream } from '../types/index.ts'

export interface ReplayPosition {
  /** How many chunks have been played, and how many there are. */
  chunk: number
  chunks: number
  /** Milliseconds from the first chunk to the last one played, and the total. */
  time: number
  duration: number
  isPlaying: boolean
  speed: number
}

interface TimedChunk {
  time: number
  chunk: Chunk
}

/**
 * An adapter that plays a recorded run: a finished message, or the lines of a log. It plays when the chat mounts or
 * when a message is sent. `player` pauses, steps and seeks in both directions.
 */
export interface ReplayAdapter extends ChatAdapter {
  player: ReplayPlayer
}

export interface ReplayAdapterOptions {
  /** 1 is the original speed. */
  speed?: number | undefined
  /** Stays at the first chunk until `play` is called. */
  paused?: boolean | undefined
  /** At its end, the replay pauses instead of ending the run, so that users can seek back. */
  stays?: boolean | undefined
}

export function replayAdapter(source: Message | Iterable<LogLine>, options: ReplayAdapterOptions = {}): ReplayAdapter {
  const player = new ReplayPlayer(source, options)
  return {
    player,
    sendMessage: ({ signal }) => player.open(signal),
    reconnectToStream: ({ signal }) => player.open(signal),
    stop: () => player.pause(),
  }
}

/** Controls a replay: play, pause, step, seek. Follow it with `subscribe` and `position`. */
export class ReplayPlayer {
  readonly #topic: Topic = new Topic()
  readonly #ready: Promise<void>
  readonly #stays: boolean
  #timeline: TimedChunk[] = []
  #playedCount = 0
  #isPlaying: boolean
  #speed: number
  #timer: ReturnType<typeof setTimeout> | undefined
  #stream: TimedStream | undefined
  /** Milliseconds since 1970. */
  #beganAt: number = Date.now()
  #position: ReplayPosition | undefined

  constructor(source: Message | Iterable<LogLine>, { speed = 1, paused = false, stays = false }: ReplayAdapterOptions) {
    this.#stays = stays
    this.#speed = speed
    this.#isPlaying = !paused
    const recorded = Symbol.iterator in source ? [...source] : source
    if (Array.isArray(recorded)) this.#beganAt = recorded[0]?.t ?? this.#beganAt
    this.#ready = this.#load(recorded)
  }

  readonly subscribe = (listener: () => void): (() => void) => this.#topic.subscribe(listener)

  /** The same object until something changes. */
  readonly position = (): ReplayPosition => {
    this.#position ??= {
      chunk: this.#playedCount,
      chunks: this.#timeline.length,
      time: this.#timeline[this.#playedCount - 1]?.time ?? 0,
      duration: this.#timeline.at(-1)?.time ?? 0,
      isPlaying: this.#isPlaying,
      speed: this.#speed,
    }
    return this.#position
  }

  /** The chunks with their times in milliseconds, for sliders. */
  get timeline(): readonly { time: number; chunk: Chunk }[] {
    return this.#timeline
  }

  /**
   * The time of the chunk being read, in milliseconds since 1970. As a store's `now`, it gives calls their original
   * times.
   */
  readonly now = (): number => this.#beganAt + (this.#stream?.time ?? this.position().time)

  /** A stream of the chunks so far and those to come. There is only one at a time. */
  async open(signal: AbortSignal): Promise<ChatStream> {
    await this.#ready
    const leave = (): void => this.#leave(stream)
    const stream = new TimedStream({
      cancelled: () => {
        if (this.#stream === stream) this.pause()
      },
      ended: () => signal.removeEventListener('abort', leave),
    })
    this.#stream = stream
    signal.addEventListener('abort', leave)
    this.#repeat()
    this.#continue()
    return stream.readable
  }

  play(speed: number = this.#speed): void {
    this.#speed = speed
    this.#isPlaying = true
    this.#changed()
    this.#continue()
  }

  pause(): void {
    clearTimeout(this.#timer)
    this.#isPlaying = false
    this.#changed()
  }

  /** Moves by this many chunks, backwards if negative; then it pauses. */
  step(count = 1): void {
    this.pause()
    this.seek(this.#playedCount + count)
  }

  /** Goes to the point after this many chunks. */
  seek(chunk: number): void {
    const target = Math.max(0, Math.min(Math.round(chunk), this.#timeline.length))
    clearTimeout(this.#timer)
    if (target < this.#playedCount) {
      this.#playedCount = target
      this.#repeat()
    } else while (this.#playedCount < target) this.#playOne()
    this.#changed()
    this.#continue()
  }

  seekTime(milliseconds: number): void {
    const later = this.#timeline.findIndex(({ time }) => time > milliseconds)
    this.seek(later < 0 ? this.#timeline.length : later)
  }

  async #load(source: Message | Iterable<LogLine>): Promise<void> {
    let time = 0
    const wait = async (milliseconds: number): Promise<void> => {
      time += milliseconds
    }
    for await (const chunk of replay(source, { speed: 1, pause: wait })) this.#timeline.push({ time, chunk })
    this.#changed()
  }

  /** Makes the reader start over, up to the current chunk. */
  #repeat(): void {
    this.#stream?.begin([
      { time: 0, chunk: { type: rewindMark, data: null, transient: true } },
      ...this.#timeline.slice(0, this.#playedCount),
    ])
  }

  #playOne(): void {
    const next = this.#timeline[this.#playedCount]
    if (next === undefined) return
    this.#playedCount++
    this.#stream?.push(next)
  }

  #continue(): void {
    clearTimeout(this.#timer)
    if (!this.#isPlaying || this.#stream === undefined) return
    const next = this.#timeline[this.#playedCount]
    if (next === undefined) {
      if (this.#stays) this.pause()
      else this.#leave(this.#stream)
      return
    }
    const before = this.#timeline[this.#playedCount - 1]?.time ?? next.time
    this.#timer = setTimeout(
      () => {
        this.#playOne()
        this.#changed()
        this.#continue()
      },
      (next.time - before) / this.#speed,
    )
  }

  #leave(stream: TimedStream): void {
    if (this.#stream === stream) {
      this.pause()
      this.#stream = undefined
    }
    stream.end()
  }

  #changed(): void {
    this.#position = undefined
    this.#topic.notify()
  }
}

/** Chunks that are delivered one by one on demand, so that the time is that of the chunk being read. */
class TimedStream {
  readonly readable: ChatStream
  /** Milliseconds from the first chunk to the last one read. */
  time = 0
  #waiting: TimedChunk[] = []
  #next = 0
  #isOver = false
  #wake: (() => void) | undefined
  readonly #ended: () => void

  constructor({ cancelled, ended }: { cancelled: () => void; ended: () => void }) {
    this.#ended = ended
    this.readable = new ReadableStream<Chunk>(
      {
        pull: async controller => {
          while (this.#next === this.#waiting.length && !this.#isOver) {
            await new Promise<void>(resolve => {
              this.#wake = resolve
            })
          }
          const next = this.#waiting[this.#next++]
          if (next === undefined) return controller.close()
          this.time = next.time
          controller.enqueue(next.chunk)
        },
        cancel: () => {
          this.end()
          cancelled()
        },
      },
      { highWaterMark: 0 },
    )
  }

  /** Replaces everything that was not read yet. */
  begin(chunks: TimedChunk[]): void {
    this.#waiting = chunks
    this.#next = 0
    this.#wake?.()
  }

  push(chunk: TimedChunk): void {
    this.#waiting.push(chunk)
    this.#wake?.()
  }

  end(): void {
    this.#isOver = true
    this.#ended()
    this.#wake?.()
  }
}
