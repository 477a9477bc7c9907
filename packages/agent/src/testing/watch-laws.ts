import type { RunNews, RunState, Store, TailLine } from '../store/store.ts'
import { openTranscript } from '../transcript/open-transcript.ts'
import { checkSame, inTime } from './check.ts'
import { beginRun, pushAll, recordRun, resumeRun } from './record-run.ts'
import { answeredRun, lastStep, parkedRun, start, startStep, text, wholeRun } from './scripted-chunks.ts'
import { documentPath, runId, type StoreLaw } from './store-law.ts'

class Watcher {
  readonly lines: TailLine[] = []
  readonly states: RunState[] = []
  readonly over: Promise<void>
  readonly #stop: AbortController = new AbortController()
  #wake: (() => void) | undefined
  #failure: unknown

  constructor(store: Store, from = 0) {
    this.over = this.#watch(store, from).catch((error: unknown) => {
      this.#failure = error
      this.#wake?.()
      throw error
    })
    this.over.catch(() => {})
  }

  leave(): void {
    this.#stop.abort()
  }

  /** Resolves when the condition holds. Only news triggers a check. */
  async until(condition: (watcher: Watcher) => boolean, what: string): Promise<void> {
    const wait = async (): Promise<void> => {
      while (!condition(this)) {
        if (this.#failure !== undefined) throw this.#failure
        await new Promise<void>(resolve => {
          this.#wake = resolve
        })
      }
    }
    await inTime(wait(), what)
  }

  async #watch(store: Store, from: number): Promise<void> {
    for await (const news of store.logs.watch(runId, from, this.#stop.signal)) this.#take(news)
  }

  #take({ lines, state }: RunNews): void {
    this.lines.push(...lines)
    if (state !== undefined) this.states.push(state)
    this.#wake?.()
  }
}

/** What the store reports by itself, in contrast to `find` and `tail`, which only answer. */
export const watchLaws: readonly StoreLaw[] = [
  {
    name: 'a watcher gets every line once and the state after each change, through parking to the end',
    async check(place) {
      const transcript = await beginRun(place.open())
      const watchers = [new Watcher(place.open()), new Watcher(place.open(), 3)]
      for (const one of watchers)
        await one.until(({ states }) => states.at(-1) === 'running', 'The state after the run began')
      await pushAll(transcript, parkedRun)
      const tail = await place.open().logs.tail(runId, 0)
      for (const one of watchers)
        await one.until(({ lines }) => lines.at(-1)?.o === tail.at(-1)!.o, 'The flushed chunks')
      checkSame(watchers[0]!.states.at(-1), 'running', 'The state while the document is held')
      await transcript.close()
      for (const one of watchers) await one.until(({ states }) => states.at(-1) === 'waiting', 'The parking')
      checkSame((await place.open().logs.find(runId))?.state, 'waiting', 'The state that `find` gives')
      await resumeRun(place.open(), answeredRun)
      for (const one of watchers) await inTime(one.over, 'The end')
      const whole = await place.open().logs.tail(runId, 0)
      checkSame(watchers[0]!.lines, whole, 'The lines of a watcher from the beginning')
      const rest = whole.filter(({ o }) => o >= 3)
      checkSame(watchers[1]!.lines, rest, 'The lines of a watcher from the middle')
      checkSame(watchers[0]!.states.at(-1), 'ended', 'The last state')
    },
  },
  {
    name: "a watcher of a run whose process died learns that it is interrupted, and gets the next process's lines",
    async check(place) {
      const transcript = await beginRun(place.open())
      await pushAll(transcript, [start, startStep, ...text('t', 'Half a ')])
      const watcher = new Watcher(place.open())
      await watcher.until(({ lines }) => lines.length > 0, 'The flushed chunks')
      await place.expire(documentPath)
      await watcher.until(({ states }) => states.at(-1) === 'interrupted', 'The state after its process died')
      const second = await openTranscript(place.open(), documentPath)
      await pushAll(second, lastStep, await second.resume())
      await second.close()
      await inTime(watcher.over, 'The end')
      checkSame(watcher.lines, await place.open().logs.tail(runId, 0), 'The lines that the watcher got')
      checkSame(watcher.states.at(-1), 'ended', 'The last state')
    },
  },
  {
    name: 'a watcher of a finished run gets all of it and the end; a watcher of a run without a log gets only the end',
    async check(place) {
      const early = new Watcher(place.open())
      await inTime(early.over, "The end of a run that hasn't begun")
      checkSame([early.lines, early.states], [[], []], 'The lines that its watcher got')
      await recordRun(place.open(), wholeRun)
      const late = new Watcher(place.open())
      await inTime(late.over, 'The end')
      checkSame(late.lines, await place.open().logs.tail(runId, 0), 'The lines that the watcher got')
      checkSame(late.states.at(-1), 'ended', 'The state')
    },
  },
  {
    name: 'a watcher gets nothing more once the document is removed or renamed, or once it leaves',
    async check(place) {
      const store = place.open()
      await recordRun(store, parkedRun)
      for (const go of ['remove', 'rename'] as const) {
        const path = go === 'remove' ? documentPath : 'again.chatmd'
        const watchers = [new Watcher(store), new Watcher(place.open()), new Watcher(place.open())]
        for (const one of watchers) await one.until(({ states }) => states.at(-1) === 'waiting', 'The parking')
        watchers[2]!.leave()
        await inTime(watchers[2]!.over, 'The end for a watcher that leaves')
        const lease = await store.leases.take(documentPath)
        const trashed = go === 'remove' ? await store.documents.remove(path, lease) : undefined
        if (go === 'rename') await store.documents.rename(documentPath, path, lease)
        await lease.release()
        for (const one of watchers) await inTime(one.over, `The end with a ${go}`)
        if (trashed !== undefined) await store.trash.restore(trashed)
      }
      const movedWatcher = new Watcher(store)
      await movedWatcher.until(
        ({ states }) => states.at(-1) === 'waiting',
        'The run of the document under its new path',
      )
      movedWatcher.leave()
    },
  },
]
