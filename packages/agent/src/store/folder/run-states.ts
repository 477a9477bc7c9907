import { lstatSync } from 'node:fs'
import type { RunState } from '../store.ts'
import { listRuns, lockPath, logPath, runsFolder } from './layout.ts'
import { describeHolder, type LockOptions } from './lock-file.ts'
import { readLogEnd } from './log-file.ts'

type LogEnd = ReturnType<typeof readLogEnd>

interface CacheEntry<Value> {
  stamp: string
  value: Value
}

/** A file changed this recently may change again within the same timestamp: disk clocks tick slowly. */
const SETTLED_MS = 2000

/**
 * Caches the runs of documents and how their logs end. Other processes write there too, so an entry is used only while
 * the log's size and times, or its folder's times, are unchanged.
 */
export class RunStates {
  readonly #names: Map<string, CacheEntry<readonly string[]>> = new Map()
  readonly #ends: Map<string, CacheEntry<LogEnd>> = new Map()

  readonly #lock: LockOptions

  constructor(lock: LockOptions) {
    this.#lock = lock
  }

  listRuns(file: string): readonly string[] {
    const folder = runsFolder(file)
    return readCached(this.#names, folder, readStamp(folder), () => listRuns(file)) ?? []
  }

  /** Undefined for a run without a log. Throws if the log can't be read. */
  readState(file: string, run: string): RunState | undefined {
    const path = logPath(file, run)
    const end = readCached(this.#ends, path, readStamp(path), () => readLogEnd(path))
    if (end === undefined || end === 'ended') return end
    if (exists(lockPath(file)) && describeHolder(lockPath(file), this.#lock) !== undefined) return 'running'
    return end === 'waiting' ? 'waiting' : 'interrupted'
  }

  keepOnly(files: readonly string[]): void {
    const folders = new Set(files.map(runsFolder))
    for (const folder of this.#names.keys()) if (!folders.has(folder)) this.#names.delete(folder)
    const logs = new Set(
      files.flatMap(file => (this.#names.get(runsFolder(file))?.value ?? []).map(run => logPath(file, run))),
    )
    for (const path of this.#ends.keys()) if (!logs.has(path)) this.#ends.delete(path)
  }
}

function readCached<Value>(
  cache: Map<string, CacheEntry<Value>>,
  path: string,
  stamp: StateStamp | undefined,
  read: () => Value,
): Value | undefined {
  const before = cache.get(path)
  if (stamp === undefined) {
    cache.delete(path)
    return undefined
  }
  if (before?.stamp === stamp.text) return before.value
  const value = read()
  if (stamp.isSettled) cache.set(path, { stamp: stamp.text, value })
  else cache.delete(path)
  return value
}

interface StateStamp {
  text: string
  isSettled: boolean
}

function readStamp(path: string): StateStamp | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  const { ino, size, mtimeMs, ctimeMs } = stats
  return { text: `${ino} ${size} ${mtimeMs} ${ctimeMs}`, isSettled: Math.abs(Date.now() - ctimeMs) > SETTLED_MS }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
