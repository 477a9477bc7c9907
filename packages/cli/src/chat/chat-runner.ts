import type { Run, RunOptions, RunResult } from '@argot/agent'
import { accumulate, type Chunk, type Message } from '@argot/core'
import { Tally } from '../view/tally.ts'
import type { DocumentConversation } from './conversation.ts'

export interface OutgoingMessage {
  text: string
  /** The text with each long paste shortened to one line. */
  displayText: string
}

export interface RunnerContext {
  options(signal: AbortSignal): RunOptions
  /** A message is being sent. Undefined: the document's unfinished run continues. */
  begin(message: OutgoingMessage | undefined): void
  show(chunk: Chunk): Promise<void> | undefined
  /** The run is over. `queue` contains the messages that were not sent because the run didn't end well. */
  end(ending: RunEnding): Promise<void>
}

export interface RunEnding {
  /** Undefined if the run couldn't start. */
  result: RunResult | undefined
  error: Error | undefined
  /** "3 steps, 5 calls, 12 s" */
  summary: string
  queue: readonly OutgoingMessage[]
}

/** Sends messages one at a time. Messages written during a run wait for their turn. */
export class ChatRunner {
  readonly #conversation: DocumentConversation
  readonly #context: RunnerContext
  readonly #queue: OutgoingMessage[] = []
  /** Messages that will join the run, with their outcomes. */
  readonly #joining = new Map<OutgoingMessage, Promise<void>>()
  #run: Run | undefined
  #controller: AbortController | undefined
  #leave: AbortController = new AbortController()
  #work: Promise<void> = Promise.resolve()
  #startedAt = 0
  #fold = accumulate({ own: true, commentary: 'given' })

  constructor(conversation: DocumentConversation, context: RunnerContext) {
    this.#conversation = conversation
    this.#context = context
  }

  get isRunning(): boolean {
    return this.#controller !== undefined
  }

  get isStopping(): boolean {
    return this.#controller?.signal.aborted === true
  }

  get startedAt(): number {
    return this.#startedAt
  }

  get queue(): readonly OutgoingMessage[] {
    return this.#queue
  }

  get joining(): readonly OutgoingMessage[] {
    return [...this.#joining.keys()]
  }

  get signal(): AbortSignal {
    return this.#controller?.signal ?? AbortSignal.abort()
  }

  get message(): Message | undefined {
    return this.#fold.message
  }

  /** Resolves when nothing runs and nothing waits. */
  get idle(): Promise<void> {
    return this.#work
  }

  send(message: OutgoingMessage | undefined): void {
    if (this.isRunning) {
      if (message !== undefined) this.#queue.push(message)
      return
    }
    this.#controller = new AbortController()
    this.#startedAt = Date.now()
    this.#work = this.#runAll(message)
  }

  /** Lets a message join the run at its next step. If it comes too late, it waits for its turn. */
  steer(message: OutgoingMessage): void {
    const run = this.#run
    if (run === undefined) return this.send(message)
    const join = async (): Promise<void> => {
      const isTaken = await run.steer(message.text).catch(() => false)
      this.#joining.delete(message)
      if (!isTaken) this.#queue.push(message)
    }
    this.#joining.set(message, join())
  }

  takeBack(): OutgoingMessage | undefined {
    return this.#queue.pop()
  }

  stop(): void {
    this.#controller?.abort()
  }

  /** Ends this process's part of the run. The next process continues it. */
  leave(): void {
    this.#leave.abort()
    this.stop()
    this.#conversation.leave()
  }

  async #runAll(first: OutgoingMessage | undefined): Promise<void> {
    let message = first
    for (;;) {
      const isDone = await this.#answer(message)
      message = isDone ? this.#queue.shift() : undefined
      if (message === undefined) break
      this.#controller = new AbortController()
      this.#startedAt = Date.now()
    }
  }

  /** True if the next message may follow. */
  async #answer(message: OutgoingMessage | undefined): Promise<boolean> {
    const { signal } = this.#controller!
    const tally = new Tally()
    let result: RunResult | undefined
    let error: Error | undefined
    this.#context.begin(message)
    this.#fold = accumulate({ own: true, commentary: 'given' })
    try {
      const run = await this.#conversation.start(message?.text, {
        ...this.#context.options(signal),
        signal,
        leave: this.#leave.signal,
      })
      this.#run = run
      await this.#follow(run, tally)
      result = await run.result
      this.#conversation.end(result)
    } catch (thrown) {
      error = thrown as Error
    } finally {
      this.#run = undefined
    }
    await Promise.all(this.#joining.values())
    const isDone = result?.status === 'done'
    const queue = isDone ? [] : this.#queue.splice(0)
    const summary = tally.describe(Date.now() - this.#startedAt)
    this.#controller = this.#queue.length > 0 ? this.#controller : undefined
    await this.#context.end({ result, error, summary, queue })
    return isDone
  }

  async #follow(run: Run, tally: Tally): Promise<void> {
    for await (const chunk of run) {
      tally.push(chunk)
      this.#fold.push(chunk)
      const slow = this.#context.show(chunk)
      if (slow !== undefined) await slow
    }
  }
}
