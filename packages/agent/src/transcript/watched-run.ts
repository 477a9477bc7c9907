import type { Chunk } from '@argot/core'
import { toEnding } from '@argot/core/stream'
import { correctionType, type FinishReason, toFinalReason } from '@argot/core/stream/internal'
import { markData, stepMark, writtenMark } from '../store/marks.ts'
import { LoggedCalls } from './logged-calls.ts'

const finishReasons: readonly FinishReason[] = ['stop', 'length', 'content-filter', 'tool-calls', 'other']

/** The parts of a run's state that matter once its process is gone. */
export class WatchedRun {
  readonly calls: LoggedCalls = new LoggedCalls()
  ended = false
  written = -1
  isParked = false
  #isModelDone = false
  #inStep = false
  /** The last step made a call, or was corrected, so the model continues. */
  #hasCalls = false
  /** Why the model ended the last step, unless an error ended it. */
  #finishReason: FinishReason | undefined

  /** The chunks that end the open step, if there is one, and the run, if the model was done. */
  get closingChunks(): Chunk[] {
    if (this.ended || this.isParked) return []
    const step: Chunk[] = this.#inStep ? [{ type: this.#isModelDone ? 'finish-step' : 'reset-step' }] : []
    if (this.#finishReason === undefined || this.#hasCalls) return step
    return [...step, { type: 'finish', finishReason: toFinalReason(this.#finishReason) }]
  }

  watch(chunk: Chunk, offset: number): void {
    this.calls.watch(chunk)
    switch (chunk.type) {
      case 'start':
        this.isParked = false
        return
      case 'user-message':
        // The model has not answered it.
        this.#finishReason = undefined
        return
      case 'start-step':
        return this.#startStep()
      case stepMark:
        this.#isModelDone = true
        this.#finishReason = getFinishReason(chunk)
        return
      case 'error':
        this.#isModelDone = true
        return
      case 'finish-step':
      case 'reset-step':
        this.#inStep = false
        return
      case 'finish':
      case 'abort':
        this.isParked = toEnding(chunk) === 'parked'
        this.ended = !this.isParked
        return
      case writtenMark:
        this.written = offset
        return
      case 'tool-input-start':
      case 'tool-input-available':
        this.#hasCalls ||= chunk.providerExecuted !== true
        return
      case 'tool-input-error':
      case correctionType:
        this.#hasCalls = true
        return
      default:
    }
  }

  #startStep(): void {
    this.#inStep = true
    this.#isModelDone = false
    this.#hasCalls = false
    this.#finishReason = undefined
  }
}

function getFinishReason(chunk: Chunk): FinishReason | undefined {
  const { finishReason } = markData(chunk)
  return finishReasons.find(reason => reason === finishReason)
}
