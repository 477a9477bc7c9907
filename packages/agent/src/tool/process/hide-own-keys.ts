import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { findSecrets } from '../output/find-secrets.ts'

/** The index of the environment's addresses among the fields after the name in `/proc/self/stat`. */
const ENV_START = 47

let areHidden = false

/**
 * Removes the keys from what the system shows as this process's environment (`/proc/PID/environ`), which any program of
 * the same user can read. `process.env` keeps them. Works on Linux, in the main thread; returns whether it succeeded.
 */
export function hideOwnKeys(): boolean {
  if (areHidden) return true
  // A worker's variables are a copy: it can't move those that the system shows elsewhere first.
  if (process.platform !== 'linux' || !isMainThread) return false
  try {
    const bytes = readFileSync('/proc/self/environ')
    const stat = readFileSync('/proc/self/stat', 'latin1')
    const start = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[ENV_START])
    if (bytes.length > 0 && Number.isSafeInteger(start) && start > 0) overwrite(bytes, start)
    areHidden = true
  } catch {
    // The system doesn't let a process write to itself.
  }
  return areHidden
}

/** Overwrites the values of the keys in `bytes`, which are at the address `start`. */
function overwrite(bytes: Buffer, start: number): void {
  const memory = openSync('/proc/self/mem', 'r+')
  try {
    for (let at = 0; at < bytes.length; ) {
      const end = bytes.indexOf(0, at) === -1 ? bytes.length : bytes.indexOf(0, at)
      const [name = '', ...rest] = bytes.toString('utf8', at, end).split('=')
      if (rest.length > 0 && findSecrets({ [name]: rest.join('=') }).length > 0) {
        const value = process.env[name]
        // Setting the variable moves it in memory; its old place is then unused.
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
