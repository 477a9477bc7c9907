import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where `bundlePrograms` puts what it makes, once for all files of tests. */
    bundles: string
  }
}

/** Below node_modules, so that a bundle finds the packages. */
const cache = join(import.meta.dirname, '../node_modules/.cache/argot-test')
const PREFIX = 'argot-tests-'

/**
 * The folders of this run of Vitest, which go when the run ends: one for bundles, and the temporary folder in which the
 * tests, and the programs that they start, leave theirs. Each project of the run calls it; the first makes them.
 */
export default function setup({ provide }: TestProject): () => void {
  const bundles = join(cache, String(process.pid))
  provide('bundles', bundles)
  if (basename(tmpdir()) === `${PREFIX}${process.pid}`) return () => {}
  mkdirSync(cache, { recursive: true })
  clear(cache, '')
  clear(tmpdir(), PREFIX)
  const temporary = join(tmpdir(), `${PREFIX}${process.pid}`)
  mkdirSync(temporary)
  process.env.TMPDIR = temporary
  return () => {
    remove(bundles)
    remove(temporary)
  }
}

/** Removes the folders of runs that were killed and could not do so themselves. */
function clear(folder: string, prefix: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(prefix) && !isRunning(Number(name.slice(prefix.length)))) remove(join(folder, name))
  }
}

function remove(folder: string): void {
  stopDatabases(folder)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** The servers of PostgreSQL that tests have started in this folder. */
function stopDatabases(folder: string): void {
  const names = existsSync(folder) ? readdirSync(folder).filter(name => name.startsWith('argot-postgres-')) : []
  for (const name of names) {
    const file = join(folder, name, 'data/postmaster.pid')
    const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n', 1)[0]) : 0
    try {
      if (pid > 1) process.kill(pid, 'SIGQUIT')
    } catch {
      // It has ended.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
