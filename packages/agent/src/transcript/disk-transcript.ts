import { type Accumulator, ArgotError, type Chunk, isSettled, isToolPart, type Message, type MessagePart } from 'argot'
import { safeId } from 'argot/chatmd'
import type { AppendedDocument } from './appended-document.ts'
import type { Disk } from './disk.ts'
import type { DocumentLock } from './document-lock.ts'
import { closeStep } from './replay-run.ts'
import { RunElements } from './run-elements.ts'
import {
  type Beginning,
  beginMark,
  hasBegun,
  type ReadLog,
  RunLogFile,
  readLog,
  recoveredMark,
  writtenMark,
} from './run-log-file.ts'
import type { Recovered, Transcript } from './transcript.ts'

/** A document that is locked, whole, and has everything that the logs still had to say. */
export interface Opened {
  disk: Disk
  lock: DocumentLock
  now: () => number
  /** The folder of the logs of this document. */
  runs: string
  document: AppendedDocument
  notices: string[]
  /** Logs that are to be ended when a run begins in their place. */
  unsealed: ReadLog[]
  recovered: Recovered | undefined
}

/** A run that has begun and whose log is open. */
interface OpenRun {
  log: RunLogFile
  elements: RunElements
  beginning: Beginning
  /** Its first chunk has come. */
  started: boolean
  ended: boolean
  /** It runs in the place of one that died, and left calls open that may have been started then. */
  leavesCalls: boolean
  /** The log says that the document has everything. */
  marked: boolean
}

/** The transcript of a document on a disk. */
export class DiskTranscript implements Transcript {
  readonly file: string
  readonly notices: readonly string[]
  readonly recovered: Recovered | undefined
  readonly #disk: Disk
  readonly #lock: DocumentLock
  readonly #now: () => number
  readonly #folder: string
  readonly #document: AppendedDocument
  /** Logs of runs that died, to be ended when the next one has said something. */
  #unsealed: ReadLog[]
  /** The run that died and in whose place the next one runs. */
  #from: string | undefined
  #run: OpenRun | undefined
  #closed = false
  /** One sync after the other: each waits for all that was written before it was asked for. */
  #synced: Promise<void> = Promise.resolve()

  constructor({ disk, lock, now, runs, document, notices, unsealed, recovered }: Opened) {
    this.file = document.file
    this.notices = notices
    this.recovered = recovered
    this.#disk = disk
    this.#lock = lock
    this.#now = now
    this.#folder = runs
    this.#document = document
    this.#unsealed = unsealed
    this.#from = recovered?.runId
  }

  get source(): string {
    return this.#document.source
  }

  async write(message: Message): Promise<void> {
    const createdAt = new Date(this.#now()).toISOString()
    this.#document.append([{ type: 'message', message: { createdAt, ...message } }], 'inline')
    await this.sync()
  }

  async begin({ id, message, payloads }: Parameters<Transcript['begin']>[0]): Promise<void> {
    await this.#leaveRun()
    await this.sync()
    const before = message === undefined ? undefined : withOpenCalls(message)
    const beginning: Beginning = {
      run: id,
      payloads,
      size: this.#document.size,
      digest: this.#document.digest(),
      ...(before !== undefined && { message: before }),
      ...(this.#from !== undefined && { from: this.#from }),
    }
    const log = RunLogFile.create(this.#disk, this.#folder, id, this.#now)
    await log.sync()
    const elements = new RunElements(id, before)
    this.#run = { log, elements, beginning, started: false, ended: false, leavesCalls: false, marked: false }
  }

  push(chunk: Chunk, fold: Pick<Accumulator, 'message'>): number {
    const run = this.#run
    if (run === undefined || this.#closed) {
      throw new ArgotError('RUN_NOT_BEGUN', 'A chunk came for a transcript in which no run has begun.')
    }
    const offset = run.started ? run.log.append(chunk) : this.#start(run, chunk)
    const elements = run.elements.take(chunk, offset, fold)
    if (chunk.type === 'finish' || chunk.type === 'abort') {
      run.ended = true
      run.leavesCalls = run.beginning.from !== undefined && (fold.message?.parts.some(isOpenCall) ?? false)
    }
    if (elements.length > 0 && !this.#document.lost) {
      run.log.syncFirst()
      const records = elements.flatMap(element => element.records)
      this.#document.append(records, run.beginning.payloads)
    }
    return offset
  }

  sync(): Promise<void> {
    const next = this.#synced.then(() => this.#syncAll())
    this.#synced = next.catch(() => {})
    return next
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    try {
      await this.sync()
    } finally {
      this.#run?.log.close()
      this.#document.close()
      this.#lock.release()
    }
  }

  /** The first line of a log is followed by what the run began with; the run in whose place it runs is over now. */
  #start(run: OpenRun, chunk: Chunk): number {
    const offset = run.log.append(chunk, { type: beginMark, transient: true, data: run.beginning })
    run.started = true
    this.#from = undefined
    if (this.#unsealed.length > 0) run.log.syncFirst()
    for (const log of this.#unsealed.splice(0)) {
      const file = RunLogFile.goOn(this.#disk, this.#folder, log, this.#now)
      file.append({ type: recoveredMark, transient: true, data: {} })
      file.close()
    }
    return offset
  }

  async #syncAll(): Promise<void> {
    const run = this.#run
    await run?.log.sync()
    await this.#document.sync()
    if (run === undefined || !run.ended || run.leavesCalls || run.marked || this.#document.lost) return
    run.log.append({ type: writtenMark, transient: true, data: {} })
    run.marked = true
  }

  /** Puts the run away that was here before. One that did not end counts as one that died. */
  async #leaveRun(): Promise<void> {
    const run = this.#run
    if (run === undefined) return
    await this.sync()
    run.log.close()
    this.#run = undefined
    if (run.marked) return
    const log = readLog(this.#folder, safeId(run.beginning.run))
    if (log === undefined || !hasBegun(log)) return
    this.#unsealed.push(await closeStep(this.#disk, this.#folder, log, this.#now))
    this.#from = run.beginning.run
  }
}

/** The message with those of its parts that a run goes on with. */
function withOpenCalls(message: Message): Message {
  return { ...message, parts: message.parts.filter(isOpenCall) }
}

function isOpenCall(part: MessagePart): boolean {
  return isToolPart(part) && !isSettled(part.toolInvocation)
}
