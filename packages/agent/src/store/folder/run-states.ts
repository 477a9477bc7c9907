import { lstatSync } from 'node:fs'
import type { RunState } from '../store.ts'
import { listRuns, lockPath, logPath, runsFolder } from './layout.ts'
import { describeHolder, type LockOptions } from './lock-file.ts'
import { readLogEnd } from './log-file.ts'

type LogEnd = ReturnType<typeof readLogEnd>

/** What the system says of a file or folder: as long as it says the same, it is as it was. */
interface Known<Value> {
  stamp: string
  value: Value
}

/** What changed so short ago may change again without another time: the clocks of disks tick slowly. */
const SETTLED_MS = 2000

/**
 * The runs of documents and how their logs end, as they were read last. Other processes write there too: what is known is
 * used only while size and time of a log, or the time of its folder, are those that it was read with.
 */
export class RunStates {
  readonly #names: Map<string, Known<readonly string[]>> = new Map()
  readonly #ends: Map<string, Known<LogEnd>> = new Map()

  /** How it is found out whether somebody holds a document. */
  readonly #lock: LockOptions

  constructor(lock: LockOptions) {
    this.#lock = lock
  }

  /** The names of the runs of a document that have a log. */
  runsOf(file: string): readonly string[] {
    const folder = runsFolder(file)
    return recall(this.#names, folder, readStamp(folder), () => listRuns(file)) ?? []
  }

  /** Undefined for a run that has no log. Throws for one that cannot be read. */
  stateOf(file: string, run: string): RunState | undefined {
    const path = logPath(file, run)
    const end = recall(this.#ends, path, readStamp(path), () => readLogEnd(path))
    if (end === undefined || end === 'ended') return end
    if (isThere(lockPath(file)) && describeHolder(lockPath(file), this.#lock) !== undefined) return 'running'
    return end === 'waiting' ? 'waiting' : 'interrupted'
  }

  /** Forgets the logs of documents that are not among these. */
  keepOnly(files: readonly string[]): void {
    const folders = new Set(files.map(runsFolder))
    for (const folder of this.#names.keys()) if (!folders.has(folder)) this.#names.delete(folder)
    const logs = new Set(
      files.flatMap(file => (this.#names.get(runsFolder(file))?.value ?? []).map(run => logPath(file, run))),
    )
    for (const path of this.#ends.keys()) if (!logs.has(path)) this.#ends.delete(path)
  }
}

function recall<Value>(
  known: Map<string, Known<Value>>,
  path: string,
  found: Stamp | undefined,
  read: () => Value,
): Value | undefined {
  const before = known.get(path)
  if (found === undefined) {
    known.delete(path)
    return undefined
  }
  if (before?.stamp === found.text) return before.value
  const value = read()
  if (found.isSettled) known.set(path, { stamp: found.text, value })
  else known.delete(path)
  return value
}

interface Stamp {
  text: string
  isSettled: boolean
}

function readStamp(path: string): Stamp | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  const { ino, size, mtimeMs, ctimeMs } = stats
  return { text: `${ino} ${size} ${mtimeMs} ${ctimeMs}`, isSettled: Math.abs(Date.now() - ctimeMs) > SETTLED_MS }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
