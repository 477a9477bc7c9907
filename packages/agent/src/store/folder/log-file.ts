import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { ArgotError, type Chunk } from '@argot/core'
import { chunkFacts, parseLog } from '@argot/core/stream'
import { logHeader } from '@argot/core/stream/internal'
import { FileEnd } from '../../files/write-all.ts'
import { describeBytes } from '../../words/describe-bytes.ts'
import { stateAfter } from '../log-end.ts'
import { mark, resumeMark } from '../marks.ts'
import { Seal } from '../seal.ts'
import type { RunLog } from '../store.ts'
import { type Disk, syncFolder } from './disk.ts'
import { LONGEST_LINE } from './line-reader.ts'
import type { LocalWriters } from './local-writers.ts'
import { stateRemoved } from './lost-lease.ts'
import { type LogFacts, scanLog } from './scan-log.ts'

export interface LogFileOptions {
  disk: Disk
  path: string
  document: string
  folder: string
  key: Uint8Array | undefined
  now: () => number
  /** Throws once another process holds the document. */
  checkLease: () => void
  writers: LocalWriters
}

/** A process that lost the document may write lines for this long. Readers ignore them because of their old epoch. */
const CHECK_EVERY_MS = 50

/** True for deltas that a later chunk of the same step completes. They need no signature. */
export function isPiece(chunk: Chunk): boolean {
  const { on, does } = chunkFacts(chunk)
  return does === 'grows' || (does === 'opens' && on !== 'message' && on !== 'step')
}

/** One line per chunk, `{ o, t, chunk }`, with a signature on every line that decides something. */
export class LogFile implements RunLog {
  readonly #options: LogFileOptions
  readonly #fd: number
  readonly #endWriting: () => void
  readonly #seal: Seal | undefined
  /** 1 for the first process that writes the log, one more for each process that continues it. */
  readonly #epoch: number
  readonly #end: FileEnd
  #offset: number
  #buffer = ''
  #dirty = true
  #isNew: boolean
  #nextCheck = 0

  private constructor(options: LogFileOptions, fd: number, log: LogFacts | undefined) {
    this.#options = options
    this.#fd = fd
    this.#endWriting = options.writers.begin(options.path)
    this.#isNew = log === undefined || isEmpty(log)
    this.#end = new FileEnd(fd, this.#isNew ? 0 : log!.size, options.disk)
    this.#offset = log?.next ?? 0
    // Lines that someone else wrote don't become ours because of lines that follow them.
    const isOurs = this.#isNew || log!.believed > 0
    // Without a key, authorship can't be verified, but the epoch still identifies late lines of an earlier process.
    this.#epoch = log === undefined ? 1 : log.epoch + (isOurs || options.key === undefined ? 1 : 0)
    this.#seal = isOurs && options.key !== undefined ? new Seal(options.key, log?.signature) : undefined
  }

  /** Creates the log of a run, or continues an existing one without the partial line that a crash left. */
  static open(options: LogFileOptions): LogFile {
    const { disk, path } = options
    const scan = scanLog(path, options.key)
    if (scan === undefined) {
      const log = new LogFile(options, disk.open(path, 'ax'), undefined)
      log.#add(logHeader)
      return log
    }
    const log = new LogFile(options, disk.open(path, 'a'), scan)
    disk.truncate(log.#fd, log.#end.size)
    if (isEmpty(scan)) log.#buffer = `${logHeader}\n`
    else if (scan.lacksNewline) log.#buffer = '\n'
    if (log.#seal !== undefined || options.key === undefined) {
      const after = log.#seal === undefined ? undefined : scan.lastBelieved
      log.append(mark(resumeMark, { epoch: log.#epoch, after }))
      // From here on, readers ignore lines of any process that held the document before.
      log.#writeBuffer()
    }
    return log
  }

  append(chunk: Chunk, time: number = this.#options.now()): number {
    const epoch = this.#epoch === 1 ? '' : `"e":${this.#epoch},`
    const text = `{"o":${this.#offset},"t":${time},${epoch}"chunk":${JSON.stringify(chunk)}`
    if (isTooLong(text)) throw lineTooLong(chunk)
    const offset = this.#offset++
    if (this.#seal === undefined || isPiece(chunk)) this.#add(`${text}}`)
    else {
      this.#seal.add(text)
      this.#buffer += `${text},"m":"${this.#seal.sign()}"}\n`
    }
    return offset
  }

  #add(line: string): void {
    this.#seal?.add(line)
    this.#buffer += `${line}\n`
  }

  /** Doesn't wait for the disk: once the system has the bytes, the death of this process can't undo the write. */
  async flush(): Promise<void> {
    if (this.#buffer === '') return
    this.#checkLease(false)
    this.#writeBuffer()
  }

  #writeBuffer(): void {
    this.#dirty = true
    // A full disk takes half a line; the next attempt must not be appended to it.
    this.#end.append(this.#buffer)
    this.#buffer = ''
    this.#options.writers.wakeFollowers(this.#options.path)
  }

  async sync(): Promise<void> {
    await this.flush()
    if (!this.#dirty) return
    this.#checkLease(true)
    this.#dirty = false
    const { disk, folder } = this.#options
    try {
      await disk.sync(this.#fd)
      if (this.#isNew) await syncFolder(disk, folder)
      this.#isNew = false
      // Checks again because a disk may take long, and what waits for this sync has side effects.
      this.#checkLease(true)
    } catch (error) {
      this.#dirty = true
      throw error
    }
  }

  async close(): Promise<void> {
    this.#endWriting()
    this.#options.disk.close(this.#fd)
  }

  /** Checking the lock costs more than writing a line, so between two syncs it happens only now and then. */
  #checkLease(isDue: boolean): void {
    const now = performance.now()
    if (!isDue && now < this.#nextCheck) return
    this.#options.checkLease()
    // No reader sees lines written to a deleted file.
    if (fstatSync(this.#fd).nlink === 0) throw stateRemoved(this.#options.document)
    this.#nextCheck = now + CHECK_EVERY_MS
  }
}

function isEmpty({ count }: LogFacts): boolean {
  return count === 0
}

/** Longer than the last lines that decide a log's state. */
const TAIL_BYTES = 4096

/** How a log ends, from its last lines alone. Doesn't check signatures. */
export function readLogEnd(path: string): 'ended' | 'waiting' | 'open' {
  const fd = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(TAIL_BYTES)
    const length = readSync(fd, bytes, 0, TAIL_BYTES, Math.max(0, fstatSync(fd).size - TAIL_BYTES))
    const lines = parseLog(bytes.toString('utf8', 0, length)).lines
    return stateAfter(lines.at(-1)?.chunk)
  } finally {
    closeSync(fd)
  }
}

/** Leaves room for a signature, and for three bytes per character. */
function isTooLong(text: string): boolean {
  return text.length * 3 > LONGEST_LINE - 100 && Buffer.byteLength(text) > LONGEST_LINE - 100
}

function lineTooLong({ type }: Chunk): ArgotError {
  const message = `A chunk (\`${type}\`) is longer than ${describeBytes(LONGEST_LINE)}, the limit for a log line, so the run can't be saved.`
  return new ArgotError('RUN_NOT_SAVED', message)
}
