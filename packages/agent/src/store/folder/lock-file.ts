import { createHash, randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  futimesSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import { ArgotError } from '@argot/core'
import { listBeside } from '../../files/list-beside.ts'
import { makeFolders } from '../../files/make-folders.ts'
import { createWhole } from '../../files/write-all.ts'
import type { LeaseOptions } from '../store.ts'
import { isSystemError } from './disk.ts'
import {
  describeHolderAtLength,
  describeHoldingProcess,
  describeProcess,
  getLiveness,
  heldLocks,
  type LockOwner,
  readHolder,
  replaceProcess,
} from './lock-holder.ts'
import { type LockClock, LockWatch, processClock } from './lock-watch.ts'

/** `replaced`: another process has it. `removed`: the file doesn't exist. */
export type LockState = 'ours' | 'replaced' | 'removed'

export interface LockFile {
  readonly epoch: number
  /** Aborted soon after the lock is no longer ours. */
  readonly lost: AbortSignal
  readonly state: LockState
  /** False once the file isn't the one that this process made. */
  isOurs(): boolean
  /** Never throws. A lock that can't be removed is emptied, or at least this process knows that it is free. */
  release(): void
}

export interface LockOptions extends LeaseOptions {
  now?: (() => number) | undefined
  /** The holder renews the lock several times within this time. If it doesn't, other machines consider it gone. */
  leaseMs?: number | undefined
  clock?: LockClock | undefined
  /** A process that is replaced here stops completely, so its other locks become free too. */
  replacesProcess?: boolean | undefined
}

/** After this long without a renewal, a holder on another machine or in another container is considered gone. */
export const LEASE_MS = 30_000
export const LONGEST_WAIT_MS: number = 60 * 60 * 1000
const RENEWALS_PER_LEASE = 6
/** Between two checks of a lock that another process has. */
const LONGEST_PAUSE_MS = 250
/** Shorter waits aren't worth a notice. */
const NOTICE_AFTER_MS = 1000

/**
 * Takes the lock at `path`: a file that names the process holding it. If that process is gone, exactly one other
 * process takes the lock over. If another process holds it, throws `RUN_LOCKED`, or waits if `wait` is set. A holder on
 * another machine or in another container can't be inspected. It is watched until it renews the lock or has been silent
 * for too long.
 */
export async function takeLockFile(path: string, options: LockOptions): Promise<LockFile> {
  const lock = await takeOrWatch(path, options)
  if (!('holder' in lock)) return lock
  throw lockedError(path, lock)
}

/** Like `takeLockFile`, but returns a description of the holder instead of throwing. */
export async function waitForLockFile(path: string, options: LockOptions): Promise<LockFile | string> {
  const lock = await takeOrWatch(path, options)
  return 'holder' in lock ? describeHoldingProcess(lock.holder) : lock
}

/** Like `waitForLockFile`, but never waits: a holder that this process can't inspect has the lock. */
export function tryLockFile(path: string, options: LockOptions = {}): LockFile | string {
  const attempt = new LockAttempt(path, options)
  const other = attempt.take()
  return other === undefined ? attempt.hold() : describeHoldingProcess(other.holder)
}

/** Describes the lock's holder; undefined while the lock is free. */
export function describeHolder(path: string, options: LockOptions = {}): string | undefined {
  const content = readIfExists(path)
  const holder = content === undefined ? undefined : readHolder(content.text)
  if (holder === undefined || content === undefined) return undefined
  return isFree(path, content, holder, toRules(options)) ? undefined : describeHoldingProcess(holder)
}

async function takeOrWatch(path: string, options: LockOptions): Promise<LockFile | BusyLock> {
  const { wait = false, waitMs = LONGEST_WAIT_MS, signal, notice, clock = processClock } = options
  const attempt = new LockAttempt(path, options)
  const began = clock.now()
  let hasNotified = false
  for (let pause = 10; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    signal?.throwIfAborted()
    const other = attempt.take()
    if (other === undefined) return attempt.hold()
    const waited = clock.now() - began
    if (wait ? waited >= waitMs : other.isAlive) return { ...other, waited }
    if (!hasNotified && waited >= NOTICE_AFTER_MS) {
      hasNotified = true
      notice?.(describeWait(path, other, options))
    }
    await clock.pause(pause, signal)
  }
}

function describeWait(path: string, { holder, isAlive }: BusyLock, { leaseMs = LEASE_MS, wait }: LockOptions): string {
  const notice = `Waiting for ${describeHolderAtLength(holder)}, which holds \`${basename(path, '.lock')}\`.`
  if (isAlive) return notice
  const seconds = Math.ceil(Math.max(leaseMs, getLeaseMs(holder)) / 1000)
  const end = wait === true ? '' : ', and fails if there is a sign'
  return `${notice} It runs on another machine or in another container. Argot takes over after ${seconds} s without a sign of life${end}. \`--take-over\` skips the wait.`
}

interface BusyLock {
  holder: LockOwner
  /** The holder is certainly running, or renewed the lock a moment ago. */
  isAlive: boolean
  waited?: number
}

interface LockContent {
  text: string
  /** Changes with every renewal. */
  stamp: string
}

const watches = new WeakMap<LockClock, LockWatch>()

function watchFor(clock: LockClock): LockWatch {
  const watch = watches.get(clock) ?? new LockWatch(clock)
  watches.set(clock, watch)
  return watch
}

interface LockRules {
  leaseMs: number
  takeOver: boolean
  watch: LockWatch
}

function toRules({ leaseMs = LEASE_MS, takeOver = false, clock = processClock }: LockOptions): LockRules {
  return { leaseMs, takeOver, watch: watchFor(clock) }
}

/** Whether the holder is gone: for certain, because it was silent for too long, or because a person says so. */
function isFree(
  path: string,
  { stamp }: LockContent,
  holder: LockOwner,
  { leaseMs, takeOver, watch }: LockRules,
): boolean {
  const liveness = getLiveness(holder)
  if (liveness !== 'unknown') return liveness === 'gone'
  return takeOver || watch.see(path, stamp).silentMs >= Math.max(leaseMs, getLeaseMs(holder))
}

class LockAttempt {
  readonly #path: string
  readonly #own: LockOwner
  readonly #rules: LockRules
  readonly #replacesProcess: boolean

  constructor(path: string, options: LockOptions) {
    const { now = Date.now, replacesProcess = false } = options
    this.#path = path
    this.#rules = toRules(options)
    this.#own = describeProcess(now(), this.#rules.leaseMs)
    this.#replacesProcess = replacesProcess
  }

  /** Undefined if the lock is ours now, otherwise who has it. */
  take(path: string = this.#path): BusyLock | undefined {
    const own = this.#own
    for (;;) {
      if (createAtomically(path, JSON.stringify(own))) return undefined
      const content = readIfExists(path)
      if (content === undefined) continue
      const holder = readHolder(content.text)
      if (holder !== undefined && !isFree(path, content, holder, this.#rules)) return this.#busy(path, content, holder)
      // Only the process with the claim on exactly this dead lock may replace it, so two can't both win.
      const claim = `${path}.${createHash('sha256').update(content.text).digest('hex').slice(0, 16)}`
      const other = this.take(claim)
      if (other !== undefined) return other
      try {
        if (readIfExists(path)?.stamp === content.stamp) {
          own.epoch = Math.max(own.epoch ?? 0, (holder?.epoch ?? 0) + 1)
          if (this.#replacesProcess && holder !== undefined) replaceProcess(holder)
          replaceAtomically(path, JSON.stringify(own))
          return undefined
        }
      } finally {
        removeIfExists(claim)
      }
    }
  }

  hold(): LockFile {
    this.#rules.watch.forget(this.#path)
    this.#removeLeftovers()
    return new HeldLock(this.#path, this.#own, this.#rules.leaseMs)
  }

  #busy(path: string, { stamp }: LockContent, holder: LockOwner): BusyLock {
    if (getLiveness(holder) === 'running') return { holder, isAlive: true }
    const { leaseMs, watch } = this.#rules
    const { renewals, silentMs } = watch.see(path, stamp)
    return { holder, isAlive: renewals > 0 && silentMs < Math.max(leaseMs, getLeaseMs(holder)) / 2 }
  }

  /** Removes claims and drafts of processes that died while taking this lock. */
  #removeLeftovers(): void {
    for (const leftover of listBeside(this.#path)) {
      const content = readIfExists(leftover)
      const holder = content === undefined ? undefined : readHolder(content.text)
      if (content !== undefined && holder !== undefined && isFree(leftover, content, holder, this.#rules)) {
        removeIfExists(leftover)
        this.#rules.watch.forget(leftover)
      }
    }
  }
}

/** The longest lease a lock can ask for. A lock that asks for more wasn't written by Argot. */
const LONGEST_LEASE_MS = 10 * 60 * 1000

function getLeaseMs({ leaseMs }: LockOwner): number {
  return typeof leaseMs === 'number' && leaseMs > 0 ? Math.min(leaseMs, LONGEST_LEASE_MS) : 0
}

/** Keeps the file open: meanwhile, no other file gets its inode number. */
class HeldLock implements LockFile {
  readonly epoch: number
  readonly #path: string
  readonly #nonce: string
  readonly #fd: number
  readonly #inode: number
  readonly #timer: ReturnType<typeof setInterval>
  readonly #lost: AbortController = new AbortController()
  #isReleased = false

  constructor(path: string, { epoch = 0, nonce }: LockOwner, leaseMs: number) {
    this.epoch = epoch
    this.#path = path
    this.#nonce = nonce
    this.#fd = openSync(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0))
    this.#inode = fstatSync(this.#fd).ino
    heldLocks.add(nonce)
    this.#timer = setInterval(() => this.#renew(), Math.max(1, leaseMs / RENEWALS_PER_LEASE))
    this.#timer.unref()
  }

  get lost(): AbortSignal {
    return this.#lost.signal
  }

  get state(): LockState {
    if (this.#isReleased) return 'removed'
    const file = lstatSync(this.#path, { throwIfNoEntry: false })
    if (file === undefined) return 'removed'
    return file.ino === this.#inode ? 'ours' : 'replaced'
  }

  isOurs(): boolean {
    if (this.#lost.signal.aborted) return false
    if (this.state === 'ours') return true
    this.#lost.abort()
    return false
  }

  release(): void {
    if (this.#isReleased) return
    const isOurs = this.#isInPlace()
    this.#isReleased = true
    clearInterval(this.#timer)
    heldLocks.delete(this.#nonce)
    const isRemoved = isOurs && succeeds(() => unlinkSync(this.#path))
    // If the folder was moved or can't be written, an empty lock is a free one.
    if (!isRemoved) succeeds(() => ftruncateSync(this.#fd))
    closeSync(this.#fd)
  }

  #isInPlace(): boolean {
    try {
      return this.state === 'ours'
    } catch {
      return false
    }
  }

  /** Touches our own file, even if another file has its name by now. */
  #renew(): void {
    if (!this.#isInPlace()) return void succeeds(() => this.isOurs())
    const now = new Date()
    succeeds(() => futimesSync(this.#fd, now, now))
  }
}

function succeeds(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}

/** False if the file exists. */
function createAtomically(path: string, text: string): boolean {
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

/** Retries once, because the process that releases a lock may remove its empty folder at this moment. */
function writeDraft(draft: string, text: string): void {
  try {
    createWhole(draft, text)
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error
    makeFolders(dirname(draft))
    createWhole(draft, text)
  }
}

/** For disks without hard links. */
function createDirectly(path: string, text: string): boolean {
  try {
    createWhole(path, text)
    return true
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false
    throw error
  }
}

function replaceAtomically(path: string, text: string): void {
  const draft = `${path}.${randomUUID()}.tmp`
  createWhole(draft, text)
  renameSync(draft, path)
}

function removeIfExists(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error
  }
}

/** Throws for a lock that isn't a regular file: reading a pipe would block forever. */
function readIfExists(path: string): LockContent | undefined {
  try {
    if (!lstatSync(path).isFile()) {
      throw new ArgotError('RUN_UNSAFE_FOLDER', `\`${path}\` is not a file, so it can't be a lock. Remove it.`)
    }
    // Opening the file makes a network file system check it again.
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const text = readFileSync(fd, 'utf8')
      const { ino, mtimeNs, ctimeNs } = fstatSync(fd, { bigint: true })
      return { text, stamp: `${ino} ${mtimeNs} ${ctimeNs} ${text}` }
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined
    throw error
  }
}

function lockedError(path: string, { holder, waited = 0 }: BusyLock): ArgotError {
  const name = basename(path, '.lock')
  const long = waited >= LONGEST_PAUSE_MS * 4 ? ` Argot waited ${Math.round(waited / 1000)} s.` : ''
  const message = `\`${name}\` is being run by ${describeHoldingProcess(holder)}.${long} Wait for that run to finish (or pass \`--wait\`), or stop it.`
  return new ArgotError('RUN_LOCKED', message)
}
