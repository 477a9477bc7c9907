import { type Accumulator, ArgotError, type Chunk, isToolPart, type Message, type MessagePart } from '@argot/core'
import type { TranscriptRecord, Tree } from '@argot/core/chatmd/internal'
import { isSettled, toEnding } from '@argot/core/stream'
import { callNumber } from '@argot/core/stream/internal'
import { type DocumentRecords, readRecords } from '../store/element-records.ts'
import { beginMark, mark, type RunBeginning, writtenMark } from '../store/marks.ts'
import { messageInPost } from '../store/message-post.ts'
import type { Lease, OpenDocument, Payloads, RunLog, Store } from '../store/store.ts'
import { fingerprint } from './recover-run.ts'
import { RunElements } from './run-elements.ts'
import type { UnfinishedRun } from './unfinished-run.ts'

/** The document is synced after this many steps, or with the first step after this many milliseconds. */
const STEPS_IN_GROUP = 30
const GROUP_MS = 500

export interface TranscriptInit {
  store: Store
  lease: Lease
  document: OpenDocument
  notices: readonly string[]
  /** The document as it was read, before missing elements were appended from its logs. */
  tree: Tree
  /** The sidecar's records, if they are still all. */
  records: DocumentRecords | undefined
  unfinished: UnfinishedRun | undefined
  /** The highest call number in the document, its sidecar and its open logs. */
  lastCall: number
  /** Runs whose logs have nothing more to add, closed when the next run begins. */
  stale: readonly string[]
  now: () => number
}

interface OpenRun {
  log: RunLog
  elements: RunElements
  payloads: Payloads
  /** Written with the first chunk of a new log. */
  beginning: RunBeginning | undefined
  end: 'parked' | 'ended' | undefined
  isMarked: boolean
}

/**
 * A document that this process holds: its run's log, and the elements appended to the document from it. Once `flush`
 * resolves, what it covers survives `kill -9`.
 */
export class Transcript {
  readonly path: string
  /** Repairs and recoveries, in words for a person. */
  readonly notices: readonly string[]
  /** Aborted when another process holds the document. */
  readonly lost: AbortSignal
  readonly #store: Store
  readonly #lease: Lease
  readonly #document: OpenDocument
  readonly #now: () => number
  readonly #tree: Tree
  #records: DocumentRecords | undefined
  #lastCall: number
  #unfinished: UnfinishedRun | undefined
  #stale: readonly string[]
  #run: OpenRun | undefined
  /** Records whose chunks are in the log, or will be after the next flush. */
  #pending: TranscriptRecord[] = []
  /** The document can't be written any more; only the log continues. */
  #isDocumentLost = false
  #isClosed = false
  #isLeft = false
  /** A message or a run was written, or is about to be. */
  #isUsed = false
  #lastWrite: Promise<void> = Promise.resolve()
  #lastSync: Promise<void> = Promise.resolve()
  /** When the document was last synced, and how many steps there were since. */
  #syncedAt = Number.NEGATIVE_INFINITY
  #steps = 0

  constructor({ store, lease, document, notices, tree, records, unfinished, lastCall, stale, now }: TranscriptInit) {
    this.path = lease.path
    this.notices = notices
    this.lost = lease.lost
    this.#store = store
    this.#lease = lease
    this.#document = document
    this.#lastCall = lastCall
    this.#unfinished = unfinished
    this.#stale = stale
    this.#now = now
    this.#tree = tree
    this.#records = records
  }

  /** The document's current text: repaired, and completed from an earlier log. */
  get source(): string {
    return this.#document.text
  }

  /** `source` as a tree, unless it has changed since it was read. */
  get tree(): Tree | undefined {
    return this.#tree.source === this.source ? this.#tree : undefined
  }

  get lastCall(): number {
    return this.#lastCall
  }

  async readRecords(): Promise<DocumentRecords> {
    const records = this.#isUsed ? undefined : this.#records
    // They can be long, and are needed once.
    this.#records = undefined
    return records ?? readRecords(this.#store, this.path)
  }

  get unfinished(): UnfinishedRun | undefined {
    return this.#unfinished
  }

  /** Users' messages that the unfinished run has not taken, in order. */
  async readWaiting(): Promise<Message[]> {
    const unfinished = this.#unfinished
    if (unfinished?.isTrusted !== true) return []
    const { joinedMessageIds } = unfinished.replayed
    const messages = (await this.#store.inbox.read(unfinished.runId)).flatMap(post => messageInPost(post) ?? [])
    return messages.filter(({ id }) => !joinedMessageIds.has(id))
  }

  /** Appends a user's complete message, and syncs. */
  async write(message: Message): Promise<void> {
    this.#isUsed = true
    const createdAt = new Date(this.#now()).toISOString()
    await this.#document.append([{ type: 'message', message: { createdAt, ...message } }], 'inline')
    await this.#document.sync()
  }

  /** Appends a part of an assistant's message that doesn't come from a run, and syncs. */
  async writePart(messageId: string, part: MessagePart): Promise<void> {
    this.#isUsed = true
    await this.#document.append([{ type: 'part', messageId, part }], 'inline')
    await this.#document.sync()
  }

  /**
   * Starts the log of a run. `message` is the part of the message that the document already has, if the run continues
   * one. Ends a run that an earlier process left unfinished.
   */
  async begin({
    id,
    message,
    payloads,
  }: {
    id: string
    message?: Message | undefined
    payloads: Payloads
  }): Promise<void> {
    this.#isUsed = true
    await this.#endRun()
    await this.#abandonUnfinished()
    const before = message === undefined ? undefined : withOpenCalls(message)
    const { size, digest } = await fingerprint(this.source)
    const beginning = { run: id, payloads, size, digest }
    const log = await this.#store.logs.open(this.path, id, this.#lease)
    await log.sync()
    this.#run = {
      log,
      payloads,
      elements: new RunElements(id, before),
      beginning: before === undefined ? beginning : { ...beginning, message: before },
      end: undefined,
      isMarked: false,
    }
    await this.#closeStale(id)
  }

  /** Continues the unfinished run in its own log, and returns the fold of that log so far. */
  async resume(): Promise<Accumulator> {
    const unfinished = this.#unfinished
    if (unfinished?.isTrusted !== true) {
      throw new ArgotError('RUN_NOT_BEGUN', 'There is no run to resume.')
    }
    this.#unfinished = undefined
    const { runId, payloads, replayed } = unfinished
    const log = await unfinished.open()
    const elements = replayed.runElements
    this.#run = { log, payloads, elements, beginning: undefined, end: undefined, isMarked: false }
    await this.#closeStale(runId)
    return replayed.fold
  }

  /**
   * Takes a chunk that `fold` has just taken at this time, and returns its offset in the log. Collects the elements
   * that the chunk completes. Elements of a step come when the model's part of it is over (`data-argot-step`), never
   * before, because until then the step may be reset. Writes nothing before `flush`, and nothing to the document before
   * `syncStep` or `sync`.
   */
  push(chunk: Chunk, fold: Pick<Accumulator, 'live' | 'messages'>, time: number = this.#now()): number {
    const run = this.#run
    if (run === undefined || this.#isClosed) {
      throw new ArgotError('RUN_NOT_BEGUN', 'The transcript got a chunk, but no run has begun.')
    }
    if (this.#isLeft) throw new ArgotError('RUN_LEFT', 'This process left the run. The next one continues it.')
    const offset = run.log.append(chunk, time)
    if (chunk.type === 'tool-input-start') this.#lastCall = Math.max(this.#lastCall, callNumber(chunk.toolCallId))
    if (run.beginning !== undefined) {
      run.log.append(mark(beginMark, run.beginning), time)
      run.beginning = undefined
    }
    for (const { records } of run.elements.take(chunk, offset, fold)) this.#pending.push(...records)
    run.end = chunk.type === 'start' ? undefined : (toEnding(chunk) ?? run.end)
    return offset
  }

  flush(): Promise<void> {
    return this.#run?.log.flush() ?? Promise.resolve()
  }

  /** Resolves when the log survives a power failure. */
  syncLog(): Promise<void> {
    return this.#run?.log.sync() ?? Promise.resolve()
  }

  /**
   * Resolves when a step survives a power failure: the log does, and the next process that opens the document completes
   * it from there. Also syncs the document and its files, in groups if steps follow each other quickly.
   */
  syncStep(): Promise<void> {
    this.#steps++
    const isDue = this.#steps >= STEPS_IN_GROUP || this.#now() - this.#syncedAt >= GROUP_MS
    return isDue ? this.sync() : this.#writeElements()
  }

  /** Resolves when the log and the document survive a power failure. */
  sync(): Promise<void> {
    const next = this.#lastSync.then(() => this.#syncAll())
    this.#lastSync = next.catch(() => {})
    return next
  }

  /** Stops writing. The run is left as if the process had died now, and the next process continues it. */
  leave(): void {
    this.#isLeft = true
  }

  /** Removes a document that was made for this run, if nothing was written to it. */
  async removeUnused(): Promise<void> {
    if (!this.#isUsed) await this.#store.documents.erase(this.path, this.#lease)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    try {
      await this.sync()
    } finally {
      this.#isClosed = true
      await this.#run?.log.close()
      await this.#unfinished?.close()
      await this.#document.close()
      await this.#lease.release()
    }
  }

  #writeElements(): Promise<void> {
    const next = this.#lastWrite.then(() => this.#writeAll())
    this.#lastWrite = next.catch(() => {})
    return next
  }

  /** Syncs the log first: the document must never have anything that the log may lose. */
  async #writeAll(): Promise<void> {
    const run = this.#run
    if (run === undefined) return
    const records = this.#pending.splice(0)
    try {
      await run.log.sync()
    } catch (error) {
      // They aren't in the document yet, and later records must not be written without them.
      this.#pending.unshift(...records)
      throw error
    }
    if (records.length === 0 || this.#isDocumentLost) return
    try {
      await this.#document.append(records, run.payloads, this.#lastCall)
    } catch (error) {
      this.#isDocumentLost = true
      throw error
    }
  }

  async #syncAll(): Promise<void> {
    const run = this.#run
    await this.#writeElements()
    this.#steps = 0
    await this.#document.sync()
    this.#syncedAt = this.#now()
    if (run?.end === undefined || run.isMarked || this.#isDocumentLost) return
    run.isMarked = true
    run.log.append(mark(writtenMark, run.end === 'parked' ? { parked: true } : {}))
    await run.log.flush()
  }

  async #endRun(): Promise<void> {
    const run = this.#run
    if (run === undefined) return
    await this.sync()
    if (run.end !== 'ended') await endLog(run.log)
    await run.log.close()
    this.#run = undefined
  }

  /** The run is never continued. The document stays unchanged, and followers of the log see its end. */
  async #abandonUnfinished(): Promise<void> {
    const unfinished = this.#unfinished
    if (unfinished === undefined) return
    this.#unfinished = undefined
    const log = await unfinished.open()
    await endLog(log)
    await log.close()
  }

  async #closeStale(except?: string): Promise<void> {
    const stale = this.#stale
    this.#stale = []
    for (const id of stale) {
      if (id === except) continue
      const log = await this.#store.logs.open(this.path, id, this.#lease)
      log.append(mark(writtenMark))
      await log.flush()
      await log.close()
    }
  }
}

async function endLog(log: RunLog): Promise<void> {
  log.append({ type: 'abort', reason: 'The conversation was continued without it.' })
  log.append(mark(writtenMark))
  await log.sync()
}

function withOpenCalls(message: Message): Message {
  const parts = message.parts.filter(part => isToolPart(part) && !isSettled(part.toolInvocation))
  return { ...message, parts }
}
