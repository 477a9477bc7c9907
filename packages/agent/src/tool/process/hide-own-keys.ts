import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { findSecrets } from '../output/find-secrets.ts'

/** Where the addresses of the environment are among the fields after the name in `/proc/self/stat`. */
const ENV_START = 47

let isDone = false

/**
 * Takes the keys out of what the system shows of this process as its environment (`/proc/PID/environ`), where any program
 * of the same user can read it. `process.env` keeps them. Works on Linux, in the main thread; says whether it did.
 */
export function hideOwnKeys(): boolean {
  if (isDone) return true
  // The variables of a worker are a copy: those that the system shows could not be put elsewhere first.
  if (process.platform !== 'linux' || !isMainThread) return false
  try {
    const bytes = readFileSync('/proc/self/environ')
    const stat = readFileSync('/proc/self/stat', 'latin1')
    const start = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[ENV_START])
    if (bytes.length > 0 && Number.isSafeInteger(start) && start > 0) overwrite(bytes, start)
    isDone = true
  } catch {
    // A system that does not let a process write to itself.
  }
  return isDone
}

/** Overwrites the values of the keys among `bytes`, which are those at the address `start`. */
function overwrite(bytes: Buffer, start: number): void {
  const memory = openSync('/proc/self/mem', 'r+')
  try {
    for (let at = 0; at < bytes.length; ) {
      const end = bytes.indexOf(0, at) === -1 ? bytes.length : bytes.indexOf(0, at)
      const [name = '', ...rest] = bytes.toString('utf8', at, end).split('=')
      if (rest.length > 0 && findSecrets({ [name]: rest.join('=') }).length > 0) {
        const value = process.env[name]
        // Setting it gives it a new place in memory; the old one is then nobody's.
        if (value !== undefined) process.env[name] = value
        const from = at + Buffer.byteLength(name) + 1
        writeSync(memory, Buffer.alloc(end - from), 0, end - from, start + from)
        if (value !== undefined && process.env[name] !== value) process.env[name] = value
      }
      at = end + 1
    }
  } finally {
    closeSync(memory)
  }
}
