import { constants, lstatSync, mkdirSync, readFileSync } from 'node:fs'
import { access, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Accumulator, ArgotError, type Chunk, isSettled, isToolPart, type Message } from 'argot'
import { AppendedDocument } from './appended-document.ts'
import { type Disk, nodeDisk } from './disk.ts'
import { type DocumentLock, lockDocument } from './document-lock.ts'
import { compareRun, currentLog, isSameDocument, type Recovery, restorePayloads } from './recover-run.ts'
import { repairTail } from './repair-tail.ts'
import { replayRun } from './replay-run.ts'
import { RunElements } from './run-elements.ts'
import {
  type Beginning,
  beginMark,
  findOpenLogs,
  type ReadLog,
  RunLogFile,
  readLog,
  recoveredMark,
  writtenMark,
} from './run-log-file.ts'
import type { Recovered, Transcript, TranscriptOptions } from './transcript.ts'
import { callNumbers } from './written-element.ts'

/**
 * Takes the document for one run at a time, repairs an end that a crash cut off, and appends what the log of a run that
 * died still has to say. `file` of the transcript is the real path, links resolved. Throws `RUN_LOCKED` while another run
 * has it; a file that cannot be read rejects with the system's error.
 */
export function openTranscript(file: string, options: TranscriptOptions = {}): Promise<Transcript> {
  return openTranscriptOn(nodeDisk, file, options)
}

/** The same on a disk that a test can stop. */
export async function openTranscriptOn(disk: Disk, file: string, options: TranscriptOptions): Promise<Transcript> {
  const real = await realpath(file)
  await access(real, constants.R_OK | constants.W_OK)
  const folder = makeFolder(dirname(real))
  mkdirSync(join(folder, 'locks'), { recursive: true })
  const lock = await lockDocument(join(folder, 'locks', `${basename(real)}.lock`), options)
  try {
    return await openLocked(disk, real, lock, options.now ?? Date.now)
  } catch (error) {
    lock.release()
    throw error
  }
}

/** `.chatmd` beside the document. One that is a link would take what is written elsewhere. */
function makeFolder(parent: string): string {
  const folder = join(parent, '.chatmd')
  mkdirSync(folder, { recursive: true })
  if (lstatSync(folder).isDirectory()) return folder
  throw new ArgotError('RUN_UNSAFE_FOLDER', '`.chatmd` beside the document is a link, so nothing is written there.')
}

/** A log that is to be ended when a run begins in its place. */
interface Unsealed {
  log: ReadLog
  closing: Chunk | undefined
}

async function openLocked(disk: Disk, file: string, lock: DocumentLock, now: () => number): Promise<Transcript> {
  const runs = join(dirname(file), '.chatmd', 'runs', basename(file))
  const logs = findOpenLogs(runs)
  const current = currentLog(logs)
  const bytes = readFileSync(file)
  const isSame = current !== undefined && isSameDocument(bytes, current.beginning)
  const { source, tree, notice } = await repairTail(disk, file, bytes, isSame ? current.beginning.size : undefined)
  const notices = notice === undefined ? [] : [notice]
  const document = new AppendedDocument(disk, file, source, callNumbers(tree))
  const unsealed: Unsealed[] = logs.map(log => ({ log, closing: undefined }))
  const opened = { disk, lock, now, runs, document, notices }
  try {
    if (current === undefined) return new DiskTranscript({ ...opened, unsealed, recovered: undefined })
    const recovery = compareRun(runs, current, tree)
    if (!isSame && recovery.present.length === 0) {
      notices.push(
        `The run \`${current.beginning.run}\` did not end, but \`${basename(file)}\` was changed since it began. What the run said stays in its log (${current.path}).`,
      )
      return new DiskTranscript({ ...opened, unsealed, recovered: undefined })
    }
    await appendMissing(disk, document, current.beginning, recovery, notices)
    const transcript = { ...opened, unsealed, recovered: recovery.recovered }
    if (!recovery.ended) {
      unsealed[logs.indexOf(current)]!.closing = recovery.closing
      return new DiskTranscript(transcript)
    }
    for (const log of logs) {
      const chunk: Chunk = { type: log === current ? writtenMark : recoveredMark, transient: true, data: {} }
      await endLog(disk, runs, log, [chunk], now)
    }
    return new DiskTranscript({ ...transcript, unsealed: [] })
  } catch (error) {
    document.close()
    throw error
  }
}

async function appendMissing(
  disk: Disk,
  document: AppendedDocument,
  { run, payloads }: Beginning,
  { missing, present, ended }: Recovery,
  notices: string[],
): Promise<void> {
  for (const path of restorePayloads(disk, document.file, present, payloads)) document.noteFile(path)
  const records = missing.flatMap(element => element.records)
  if (records.length > 0) document.append(records, payloads)
  await document.sync()
  const name = basename(document.file)
  if (!ended) notices.push(`The last run of \`${name}\` (\`${run}\`) was interrupted before it ended.`)
  if (missing.length === 0) return
  const what = missing.length === 1 ? 'One element' : `${missing.length} elements`
  notices.push(`${what} of the run \`${run}\` that \`${name}\` did not have yet were appended from its log.`)
}

/** Appends the last lines of a log that nobody writes any more. */
async function endLog(
  disk: Disk,
  folder: string,
  log: ReadLog,
  chunks: readonly Chunk[],
  now: () => number,
): Promise<void> {
  const file = RunLogFile.goOn(disk, folder, log, now)
  try {
    file.append(...chunks)
    await file.sync()
  } finally {
    file.close()
  }
}

interface Opened {
  disk: Disk
  lock: DocumentLock
  now: () => number
  /** The folder of the logs of this document. */
  runs: string
  document: AppendedDocument
  notices: string[]
  unsealed: Unsealed[]
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
  /** The log says that the document has everything. */
  marked: boolean
}

class DiskTranscript implements Transcript {
  readonly file: string
  readonly notices: readonly string[]
  readonly recovered: Recovered | undefined
  readonly #disk: Disk
  readonly #lock: DocumentLock
  readonly #now: () => number
  readonly #folder: string
  readonly #document: AppendedDocument
  /** Logs of runs that died, to be ended when the next one has said something. */
  #unsealed: Unsealed[]
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
    const elements = new RunElements(id, before)
    this.#run = { log, elements, beginning, started: false, ended: false, marked: false }
  }

  push(chunk: Chunk, fold: Pick<Accumulator, 'message'>): number {
    const run = this.#run
    if (run === undefined || this.#closed) {
      throw new ArgotError('RUN_NOT_BEGUN', 'A chunk came for a transcript in which no run has begun.')
    }
    const offset = run.started ? run.log.append(chunk) : this.#start(run, chunk)
    const elements = run.elements.take(chunk, offset, fold)
    if (chunk.type === 'finish' || chunk.type === 'abort') run.ended = true
    if (elements.length > 0) {
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
    for (const { log, closing } of this.#unsealed.splice(0)) {
      const file = RunLogFile.goOn(this.#disk, this.#folder, log, this.#now)
      const data = { closed: closing !== undefined }
      file.append(...(closing === undefined ? [] : [closing]), { type: recoveredMark, transient: true, data })
      file.close()
    }
    return offset
  }

  async #syncAll(): Promise<void> {
    const run = this.#run
    await run?.log.sync()
    await this.#document.sync()
    if (run === undefined || !run.ended || run.marked || this.#document.lost) return
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
    const log = readLog(this.#folder, run.beginning.run)
    if (log?.beginning === undefined) return
    this.#unsealed.push({ log, closing: replayRun(log, log.beginning).closing })
    this.#from = run.beginning.run
  }
}

/** The message with those of its parts that a run goes on with. */
function withOpenCalls(message: Message): Message {
  return { ...message, parts: message.parts.filter(part => isToolPart(part) && !isSettled(part.toolInvocation)) }
}
