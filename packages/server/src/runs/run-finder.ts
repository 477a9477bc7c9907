import type { Store } from '@argot/agent'
import { defined } from '@argot/core/stream/internal'
import type { RunResource } from '../api/index.ts'
import { notFound } from '../guard/problem.ts'
import { DocumentMoves } from './document-moves.ts'
import type { LiveRun } from './live/live-run.ts'
import type { RunBook } from './live/run-book.ts'
import type { Queue } from './queue/queue.ts'
import { isOver, RunDescriber, type RunFilter } from './run-describer.ts'
import { StateIndex } from './state-index.ts'

export interface RunFinderOptions {
  store: Store
  queue: Queue
  book: RunBook
}

/** Finds and describes runs, also while their documents are renamed or removed. */
export class RunFinder {
  readonly #store: Store
  readonly #queue: Queue
  readonly #book: RunBook
  readonly #describer: RunDescriber
  readonly #states: StateIndex = new StateIndex()
  readonly #moves: DocumentMoves = new DocumentMoves()

  constructor({ store, queue, book }: RunFinderOptions) {
    this.#store = store
    this.#queue = queue
    this.#book = book
    this.#describer = new RunDescriber(store, queue)
  }

  async find(run: string): Promise<RunResource | undefined> {
    const live = await this.findLive(run)
    return live === undefined ? undefined : this.describe(live)
  }

  async get(run: string): Promise<RunResource> {
    return (await this.find(run)) ?? throwUnknown(run)
  }

  findLive(run: string): Promise<LiveRun | undefined> {
    return this.#moves.find(
      () => this.#book.find(run),
      live => live?.hasLog === true,
    )
  }

  async getLive(run: string): Promise<LiveRun> {
    return (await this.findLive(run)) ?? throwUnknown(run)
  }

  /** Undefined if its document was removed meanwhile. */
  async describe(live: LiveRun): Promise<RunResource | undefined> {
    return (await this.#describer.describe(live)) ?? this.find(live.run)
  }

  async isOver(live: LiveRun): Promise<boolean> {
    const resource = await this.describe(live)
    return resource === undefined || isOver(resource.state)
  }

  /** Newest first. `isOpen`: those that aren't over. */
  async list(filter: RunFilter = {}): Promise<RunResource[]> {
    const { state, document, isOpen = false, limit = Number.POSITIVE_INFINITY } = filter
    const entries = await this.#store.logs.list(defined({ path: document }))
    const entriesByRun = new Map(entries.map(entry => [entry.run, entry]))
    const queued = new Map((await this.#queue.list(defined({ document }))).map(one => [one.job.run, one]))
    const mayBeOver = !isOpen && (state === undefined || isOver(state))
    const resources: RunResource[] = []
    for (const run of [...new Set([...entriesByRun.keys(), ...queued.keys()])].sort().reverse()) {
      const entry = entriesByRun.get(run)
      if (entry?.state === 'ended' && !mayBeOver) continue
      if (entry !== undefined && state !== undefined && !this.#states.mayBe(entry, state)) continue
      const resource = await this.find(run)
      this.#states.note(entry ?? { run }, resource)
      if (resource === undefined || (state !== undefined && resource.state !== state)) continue
      if (isOpen && isOver(resource.state)) continue
      resources.push(resource)
      if (resources.length >= limit) break
    }
    return resources
  }

  async current(document: string): Promise<RunResource | undefined> {
    const live = await this.currentLive(document)
    return live === undefined ? undefined : this.describe(live)
  }

  /** Runs of this server have a job. Only runs of other processes have to be looked for. */
  async currentLive(document: string): Promise<LiveRun | undefined> {
    for (const { job } of await this.#queue.list({ document })) {
      const live = await this.#book.find(job.run)
      if (live?.hasLog === true && live.state !== 'ended') return live
    }
    const entries = await this.#store.logs.list({ path: document })
    const open = entries.filter(({ state }) => state === 'running' || state === 'waiting').map(({ run }) => run)
    for (const run of open.sort().reverse()) {
      const live = await this.#book.find(run)
      if (live?.state === 'running' || live?.state === 'waiting') return live
    }
    return undefined
  }

  /** Renames or removes a document. A run that isn't found meanwhile is looked for again afterwards. */
  move<Value>(work: () => Promise<Value>): Promise<Value> {
    return this.#moves.do(work)
  }
}

/** The path of a run's document. */
export function getDocument({ path, job, run }: LiveRun): string {
  return path ?? job?.job.document ?? throwUnknown(run)
}

function throwUnknown(run: string): never {
  throw notFound(`run \`${run.slice(0, 200)}\``)
}
