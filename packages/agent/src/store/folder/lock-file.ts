import { createHash, randomUUID } from 'node:crypto'
import {
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ArgotError } from 'argot'
import { makeFolders } from '../../files/make-folders.ts'
import type { LeaseOptions } from '../store.ts'
import { isSystemError } from './disk.ts'

/** A lock that this process has. */
export interface LockFile {
  readonly epoch: number
  /** False once the file is not the one that this process made. */
  isOurs(): boolean
  release(): void
}

export interface LockOptions extends LeaseOptions {
  now?: (() => number) | undefined
}

/** Who holds a lock. A process is told from a later one of the same number by when it started. */
interface Holder {
  pid: number
  host: string
  /** The boot of the machine, the name space of its process numbers, and when the process started, where known. */
  boot?: string
  space?: string
  start?: string
  /** When the lock was taken, in milliseconds. */
  since: number
  /** Higher than that of the lock which it replaces. */
  epoch?: number
  /** No two locks say the same. */
  nonce: string
}

/** The longest pause between two looks at a lock that somebody else has. */
const LONGEST_PAUSE = 250

/**
 * Takes the lock at `path`: a file that says which process has it. One whose process is gone is taken over, by one
 * process only. Held by another, it throws `RUN_LOCKED`, or waits where `wait` says so.
 */
export async function takeLockFile(
  path: string,
  { wait = false, signal, now = Date.now }: LockOptions,
): Promise<LockFile> {
  const own = describeProcess(now())
  for (let pause = 10; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    signal?.throwIfAborted()
    const other = takeLock(path, own)
    if (other === undefined) {
      removeLeftovers(path)
      return heldLock(path, own)
    }
    if (!wait) throw locked(path, other)
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
}

/** The same, at once: gives who has the lock, in words, where that is another process, or this one already. */
export function tryLockFile(path: string, now: () => number = Date.now): LockFile | string {
  const own = describeProcess(now())
  const other = takeLock(path, own)
  if (other !== undefined) return describeHoldingProcess(other)
  removeLeftovers(path)
  return heldLock(path, own)
}

/** Who has the lock, in words; undefined while nobody has it. */
export function describeHolder(path: string): string | undefined {
  const text = readIfThere(path)
  const holder = text === undefined ? undefined : readHolder(text)
  return holder !== undefined && isRunning(holder) ? describeHoldingProcess(holder) : undefined
}

function heldLock(path: string, own: Holder): LockFile {
  const text = JSON.stringify(own)
  const { ino, mtimeMs } = lstatSync(path)
  const isOurs = (): boolean => {
    const found = lstatSync(path, { throwIfNoEntry: false })
    return found?.ino === ino && found.mtimeMs === mtimeMs
  }
  return { epoch: own.epoch ?? 0, isOurs, release: () => releaseLock(path, text) }
}

/** Undefined when the lock is ours now, else who has it. */
function takeLock(path: string, own: Holder): Holder | undefined {
  for (;;) {
    if (createAtOnce(path, JSON.stringify(own))) return undefined
    const text = readIfThere(path)
    if (text === undefined) continue
    const holder = readHolder(text)
    if (holder !== undefined && isRunning(holder)) return holder
    // Only who has the claim on exactly this dead lock may replace it, so two cannot both win.
    const claim = `${path}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
    const other = takeLock(claim, own)
    if (other !== undefined) return other
    try {
      if (readIfThere(path) === text) {
        own.epoch = Math.max(own.epoch ?? 0, (holder?.epoch ?? 0) + 1)
        replaceAtOnce(path, JSON.stringify(own))
        return undefined
      }
    } finally {
      removeIfThere(claim)
    }
  }
}

/** Claims and drafts of processes that died while they took this lock. */
function removeLeftovers(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.`)) continue
    const leftover = join(dirname(path), name)
    const text = readIfThere(leftover)
    const holder = text === undefined ? undefined : readHolder(text)
    if (holder !== undefined && !isRunning(holder)) removeIfThere(leftover)
  }
}

function releaseLock(path: string, own: string): void {
  if (readIfThere(path) === own) unlinkSync(path)
}

/** Makes the file with all of its content at once; false where there is one. */
function createAtOnce(path: string, text: string): boolean {
  const draft = `${path}.${randomUUID()}.tmp`
  writeDraft(draft, text)
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false
    if (!isSystemError(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK')) throw error
    return createDirectly(path, text)
  } finally {
    unlinkSync(draft)
  }
}

/** Whoever gives a lock free may remove the empty folder of it at this moment. */
function writeDraft(draft: string, text: string): void {
  try {
    writeFileSync(draft, text, { flag: 'wx' })
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error
    makeFolders(dirname(draft))
    writeFileSync(draft, text, { flag: 'wx' })
  }
}

/** For disks without hard links. */
function createDirectly(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' })
    return true
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false
    throw error
  }
}

function replaceAtOnce(path: string, text: string): void {
  const draft = `${path}.${randomUUID()}.tmp`
  writeFileSync(draft, text, { flag: 'wx' })
  renameSync(draft, path)
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error
  }
}

/** A lock that is not a file, such as a pipe, would let its reader wait for ever. */
function readIfThere(path: string): string | undefined {
  try {
    if (!lstatSync(path).isFile()) {
      throw new ArgotError('RUN_UNSAFE_FOLDER', `\`${path}\` is not a file, so it cannot be a lock. Remove it.`)
    }
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined
    throw error
  }
}

function readHolder(text: string): Holder | undefined {
  try {
    const value: Partial<Holder> | null = JSON.parse(text)
    const { pid, host, since } = value ?? {}
    const fits = Number.isSafeInteger(pid) && pid! > 0 && typeof host === 'string' && Number.isFinite(since)
    return fits ? (value as Holder) : undefined
  } catch {
    return undefined
  }
}

let lastEpoch = 0

/** Later than every one before, even where the clock does not move. */
function nextEpoch(): number {
  lastEpoch = Math.max(Date.now(), lastEpoch + 1)
  return lastEpoch
}

function describeProcess(since: number): Holder {
  const found = {
    boot: readSystem('/proc/sys/kernel/random/boot_id'),
    space: readSpace(),
    start: readStart(process.pid),
  }
  const known = Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
  return { pid: process.pid, host: hostname(), ...known, since, epoch: nextEpoch(), nonce: randomUUID() }
}

/** True unless it is certain that the process is gone. */
function isRunning({ pid, host, boot, space, start }: Holder): boolean {
  if (host !== hostname()) return true
  if (differ(boot, readSystem('/proc/sys/kernel/random/boot_id'))) return false
  if (differ(space, readSpace())) return true
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (isSystemError(error, 'ESRCH')) return false
  }
  return !differ(start, readStart(pid))
}

function differ(then: string | undefined, now: string | undefined): boolean {
  return then !== undefined && now !== undefined && then !== now
}

/** Of this process: it does not change, and the system takes its time to say it. */
let ownStart: { start: string | undefined } | undefined

/** When a process started, in ticks of its machine; `gone` for one that has ended and waits for its parent. */
function readStart(pid: number): string | undefined {
  if (pid !== process.pid) return askStart(pid)
  ownStart ??= { start: askStart(pid) }
  return ownStart.start
}

function askStart(pid: number): string | undefined {
  const stat = readSystem(`/proc/${pid}/stat`)
  // The name of the program is in parentheses and may contain anything.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields === undefined) return undefined
  return fields[0] === 'Z' || fields[0] === 'X' ? 'gone' : fields[19]
}

function readSpace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return undefined
  }
}

function readSystem(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return undefined
  }
}

function locked(path: string, holder: Holder): ArgotError {
  const name = basename(path, '.lock')
  const message = `\`${name}\` is being run by ${describeHoldingProcess(holder)}. Wait until that run is over (\`--wait\` does), or stop it.`
  return new ArgotError('RUN_LOCKED', message)
}

function describeHoldingProcess({ pid, host, since }: Holder): string {
  const where = host === hostname() ? '' : ` on ${host}`
  const time = Math.abs(since) <= 8.64e15 ? `, which began at ${new Date(since).toISOString()}` : ''
  return `process ${pid}${where}${time}`
}
