import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where `bundlePrograms` puts what it makes, once for all files of tests. */
    bundles: string
  }
}

/** Below node_modules, so that a bundle finds the packages. */
const cache = join(import.meta.dirname, '../node_modules/.cache/argot-test')

/** A folder for the bundles of this run of Vitest, which goes when the run ends. */
export default function setup({ provide }: TestProject): () => void {
  mkdirSync(cache, { recursive: true })
  // A run that was killed could not clear its folder.
  for (const name of readdirSync(cache)) if (!isRunning(Number.parseInt(name, 10))) remove(join(cache, name))
  const folder = join(cache, String(process.pid))
  provide('bundles', folder)
  return () => remove(folder)
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
