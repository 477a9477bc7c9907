import { closeSync, fstatSync, lstatSync, mkdirSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { type Chunk, type LogLine, logHeader, type Message, parseLog, type ToolPart } from 'argot'
import { safeId } from 'argot/chatmd'
import { cutBack, type Disk, isSystemError, syncFolder, writeAll } from './disk.ts'

/**
 * Marks that only the log has, transient like those of the loop. `data-argot-begin`: what the run began with;
 * `data-argot-written`: the run has ended and the document has all of it; `data-argot-recovered`: the run died, and a
 * later one has begun in its place.
 */
export const beginMark = 'data-argot-begin'
export const writtenMark = 'data-argot-written'
export const recoveredMark = 'data-argot-recovered'

/** What a run began with: enough to write its elements again from the log alone. */
export interface Beginning {
  run: string
  payloads: 'inline' | 'external'
  /** How many bytes the document had, and their SHA-256. */
  size: number
  digest: string
  /** What the document had of the message that the run goes on with; of its parts only the open calls. */
  message?: Message
  /** The run that died and in whose place this one runs. */
  from?: string
}

/** A log that is being written: one line a chunk, on its way to the disk when `append` returns. */
export class RunLogFile {
  readonly #disk: Disk
  readonly #folder: string
  readonly #now: () => number
  readonly #fd: number
  #size: number
  #offset: number
  #dirty = true
  #isNew: boolean
  /** The disk has its first lines. */
  #isAnchored = false

  private constructor(disk: Disk, folder: string, now: () => number, fd: number, size: number, offset: number) {
    this.#disk = disk
    this.#folder = folder
    this.#now = now
    this.#fd = fd
    this.#size = size
    this.#offset = offset
    this.#isNew = size === 0
  }

  static create(disk: Disk, folder: string, run: string, now: () => number): RunLogFile {
    mkdirSync(folder, { recursive: true })
    const fd = disk.open(join(folder, `${safeId(run)}.jsonl`), 'ax')
    const log = new RunLogFile(disk, folder, now, fd, 0, 0)
    log.#write(`${logHeader}\n`)
    return log
  }

  /** Goes on with a log that was read; what a crash left of its last line goes first. */
  static goOn(disk: Disk, folder: string, log: ReadLog, now: () => number): RunLogFile {
    const fd = disk.open(log.path, 'a')
    const file = new RunLogFile(disk, folder, now, fd, log.size, log.next)
    disk.truncate(fd, log.size)
    if (log.unended) file.#write('\n')
    return file
  }

  /** Returns the offset of the first of them. */
  append(...chunks: readonly Chunk[]): number {
    const first = this.#offset
    const t = this.#now()
    let text = ''
    for (const [index, chunk] of chunks.entries()) {
      text += `{"o":${first + index},"t":${t},"chunk":${JSON.stringify(chunk)}}\n`
    }
    this.#write(text)
    this.#offset += chunks.length
    return first
  }

  async sync(): Promise<void> {
    if (!this.#dirty) return
    this.#dirty = false
    try {
      await this.#disk.sync(this.#fd)
      if (this.#isNew) await syncFolder(this.#disk, this.#folder)
      this.#isNew = false
      this.#isAnchored = this.#offset > 0
    } catch (error) {
      this.#dirty = true
      throw error
    }
  }

  /** The same for the first lines, without which the rest says nothing; once for each log. */
  syncFirst(): void {
    if (this.#isAnchored) return
    this.#disk.syncNow(this.#fd)
    this.#isAnchored = true
  }

  close(): void {
    this.#disk.close(this.#fd)
  }

  #write(text: string): void {
    const bytes = Buffer.from(text)
    this.#dirty = true
    try {
      writeAll(this.#disk, this.#fd, bytes)
    } catch (error) {
      // A full disk takes half a line, which the next one must not stand behind.
      cutBack(this.#disk, this.#fd, this.#size)
      throw error
    }
    this.#size += bytes.length
  }
}

/** A log as it lies on the disk. */
export interface ReadLog {
  /** Its file without the ending. */
  name: string
  path: string
  lines: LogLine[]
  beginning: Beginning | undefined
  /** The offset of the next line. */
  next: number
  /** How many bytes of it are whole lines, the last of which may lack its newline. */
  size: number
  unended: boolean
  /** A crash left a piece of a line at its end, or no newline. */
  torn: boolean
}

/** A log that says what its run began with; one that does not has nothing else to say. */
export type BegunLog = ReadLog & { beginning: Beginning }

export function hasBegun(log: ReadLog): log is BegunLog {
  return log.beginning !== undefined
}

/** The logs in a folder of which not everything is known to be in the document; usually none. */
export function findOpenLogs(folder: string): ReadLog[] {
  const logs: ReadLog[] = []
  for (const name of listFolder(folder)) {
    const path = join(folder, name)
    if (!name.endsWith('.jsonl') || !lstatSync(path).isFile() || isDone(path)) continue
    const log = readLog(folder, name.slice(0, -'.jsonl'.length))
    if (log !== undefined) logs.push(log)
  }
  return logs
}

/** More than the last line of a log that is done has. */
const lastLine = 512

/** True when the last line says so; the rest is not read. */
function isDone(path: string): boolean {
  const fd = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(lastLine)
    const length = readSync(fd, bytes, 0, lastLine, Math.max(0, fstatSync(fd).size - lastLine))
    const line = bytes.toString('utf8', 0, length).trimEnd().split('\n').at(-1)!
    const type = parseLog(line).lines[0]?.chunk.type
    return type === writtenMark || type === recoveredMark
  } finally {
    closeSync(fd)
  }
}

/** Undefined where there is no such log. */
export function readLog(folder: string, name: string): ReadLog | undefined {
  const path = join(folder, `${name}.jsonl`)
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'EISDIR')) return undefined
    throw error
  }
  const whole = bytes.lastIndexOf(10) + 1
  // JSON that was cut off is never JSON: a last line that can be read lacks its newline only.
  const rest = bytes.toString('utf8', whole)
  const unended = rest !== '' && (rest === logHeader || parseLog(rest).lines.length === 1)
  const size = unended ? bytes.length : whole
  const { lines } = parseLog(bytes.toString('utf8', 0, size))
  const begin = lines.find(({ chunk }) => chunk.type === beginMark)?.chunk
  const beginning = begin !== undefined && 'data' in begin && isBeginning(begin.data) ? begin.data : undefined
  return {
    name,
    path,
    lines,
    beginning,
    next: (lines.at(-1)?.o ?? -1) + 1,
    size,
    unended,
    torn: unended || size < bytes.length,
  }
}

function isBeginning(value: unknown): value is Beginning {
  const { run, payloads, size, digest, message } = (value ?? {}) as Partial<Beginning>
  const isMode = payloads === 'inline' || payloads === 'external'
  const fits = typeof run === 'string' && isMode && Number.isSafeInteger(size) && typeof digest === 'string'
  if (!fits || message === undefined) return fits
  return typeof message?.id === 'string' && Array.isArray(message.parts) && message.parts.every(isCall)
}

function isCall(part: unknown): boolean {
  const call = (part as Partial<ToolPart> | null)?.toolInvocation
  return typeof call?.toolCallId === 'string' && typeof call.key === 'string'
}

/** Appends the last lines of a log that nobody writes any more, and takes away what a crash left of one. */
export async function endLog(
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

/** The names in a folder; none where it does not exist. */
export function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return []
    throw error
  }
}
