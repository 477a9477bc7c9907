import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename } from 'node:path'
import { threadId } from 'node:worker_threads'
import { isSystemError } from './disk.ts'

/** Who holds a lock. Start times tell a process from a later one with the same number. */
export interface LockOwner {
  pid: number
  host: string
  /** The machine's boot, the machine, its process number namespace, and when the process started, if known. */
  boot?: string
  machine?: string
  space?: string
  start?: string
  /** Each thread has its own list of the locks it holds. */
  thread?: number
  /** The system's number for the thread, and when it started, if known: `TID START`. */
  task?: string
  program?: string
  /** When the lock was taken, in milliseconds. */
  since: number
  /** Higher than the replaced lock's. */
  epoch?: number
  leaseMs?: number
  nonce: string
}

/** `unknown`: on another machine, in another container, or in another thread of this process. */
export type Liveness = 'running' | 'gone' | 'unknown'

/**
 * The locks that this thread holds, by nonce. If a lock names this process but isn't in this list, it was left behind
 * because its folder couldn't be written. All copies of this module share the list.
 */
const symbol = Symbol.for('argot.heldLocks')
const shared = globalThis as unknown as Record<symbol, Set<string> | undefined>
export const heldLocks: Set<string> = (shared[symbol] ??= new Set())

/** Processes that this one has replaced completely, and which therefore stop. */
const replacedProcesses = new Set<string>()

/** From now on, this process may take every lock of that process. */
export function replaceProcess(holder: LockOwner): void {
  replacedProcesses.add(formatIdentity(holder))
}

function formatIdentity({ pid, host, boot, space, start }: LockOwner): string {
  return JSON.stringify([pid, host, boot, space, start])
}

/** Facts about the system this process runs on. Tests simulate other machines with it. */
export interface HostSystem {
  host: string
  boot: string | undefined
  machine: string | undefined
  space: string | undefined
}

/** The number of the machine's own process number namespace, the same on every Linux. */
const HOST_SPACE = 'pid:[4026531836]'

/** Certain for other processes on this machine and in this container. */
export function getLiveness(holder: LockOwner, system: HostSystem = readSystem()): Liveness {
  const relation = compareSystems(holder, system)
  if (relation === 'ended') return 'gone'
  if (relation === 'other') return replacedProcesses.has(formatIdentity(holder)) ? 'gone' : 'unknown'
  const { pid, start, thread, task, nonce } = holder
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (isSystemError(error, 'ESRCH')) return 'gone'
  }
  if (differ(start, readStart(pid))) return 'gone'
  if (pid !== process.pid || heldLocks.has(nonce)) return 'running'
  if (thread === undefined || thread === threadId) return 'gone'
  return task !== undefined && isTaskGone(task) ? 'gone' : 'unknown'
}

/** `same`: process numbers mean the same there as here. `ended`: the machine was restarted since. */
function compareSystems(holder: LockOwner, system: HostSystem): 'same' | 'other' | 'ended' {
  const { host, boot, machine, space } = holder
  if (boot === undefined || system.boot === undefined) {
    return host === system.host && !differ(space, system.space) ? 'same' : 'other'
  }
  if (boot === system.boot) return differ(space, system.space) ? 'other' : 'same'
  // A container that moved to another machine may have kept its host name.
  const isMachine = [space, system.space].every(one => one === undefined || one === HOST_SPACE)
  return host === system.host && !differ(machine, system.machine) && isMachine ? 'ended' : 'other'
}

function differ(then: string | undefined, now: string | undefined): boolean {
  return then !== undefined && now !== undefined && then !== now
}

export function readHolder(text: string): LockOwner | undefined {
  try {
    const value: Partial<LockOwner> | null = JSON.parse(text)
    const { pid, host, since } = value ?? {}
    const fits = Number.isSafeInteger(pid) && pid! > 0 && typeof host === 'string' && Number.isFinite(since)
    return fits ? (value as LockOwner) : undefined
  } catch {
    return undefined
  }
}

let lastEpoch = 0

/** Higher than every earlier one, even if the clock doesn't move. */
function nextEpoch(): number {
  lastEpoch = Math.max(Date.now(), lastEpoch + 1)
  return lastEpoch
}

export function describeProcess(since: number, leaseMs: number): LockOwner {
  const { host, ...system } = readSystem()
  const details = { ...system, start: readStart(process.pid), task: readOwnTask(), program: describeProgram() }
  const present = Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined))
  const who = { pid: process.pid, host, ...present, thread: threadId }
  return { ...who, since, epoch: nextEpoch(), leaseMs, nonce: randomUUID() }
}

/** Undefined if the system doesn't identify threads. */
function readOwnTask(): string | undefined {
  try {
    const task = basename(readlinkSync('/proc/thread-self'))
    return `${task} ${readTaskStart(task)}`
  } catch {
    return undefined
  }
}

/** Whether a thread of this process has ended. Numbers are reused, so its start time is compared too. */
function isTaskGone(task: string): boolean {
  const [number = '', start] = task.split(' ')
  if (!/^\d+$/.test(number)) return false
  try {
    return readTaskStart(number) !== start
  } catch (error) {
    return isSystemError(error, 'ENOENT')
  }
}

function readTaskStart(task: string): string {
  const stat = readFileSync(`/proc/self/task/${task}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]!
}

function describeProgram(): string | undefined {
  const [, file, command = ''] = process.argv
  if (file === undefined) return undefined
  const name = basename(file).replace(/\.[cm]?[jt]s$/, '')
  return /^[a-z]{2,12}$/.test(command) ? `${name} ${command}` : name
}

/** Only the host name may change while a process runs. */
let ownSystem: Omit<HostSystem, 'host'> | undefined

function readSystem(): HostSystem {
  ownSystem ??= { boot: readText('/proc/sys/kernel/random/boot_id'), machine: readMachine(), space: readSpace() }
  return { host: hostname(), ...ownSystem }
}

function readMachine(): string | undefined {
  const id = readText('/etc/machine-id')
  return id === '' ? undefined : id
}

/** Cached for this process: it doesn't change, and reading it is slow. */
let ownStart: { start: string | undefined } | undefined

/** When a process started, in clock ticks; `gone` if it has ended and waits for its parent. */
function readStart(pid: number): string | undefined {
  if (pid !== process.pid) return queryStart(pid)
  ownStart ??= { start: queryStart(pid) }
  return ownStart.start
}

function queryStart(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  // The program's name is in parentheses and may contain anything.
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

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return undefined
  }
}

/** `process 12 on example, which started at …`. A lock may contain anything, so only printable text is shown. */
export function describeHoldingProcess({ pid, host, since }: LockOwner): string {
  const relation = host === hostname() ? '' : ` on ${printable(host)}`
  return `process ${pid}${relation}${formatSince(', which started at', since)}`
}

/** `argot run, process 12 on example, since …`. */
export function describeHolderAtLength({ pid, host, since, program }: LockOwner): string {
  const name = typeof program === 'string' && program !== '' ? `${printable(program)}, ` : ''
  return `${name}process ${pid} on ${printable(host)}${formatSince(', since', since)}`
}

function formatSince(words: string, since: number): string {
  return Math.abs(since) <= 8.64e15 ? `${words} ${new Date(since).toISOString()}` : ''
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 100)
}
