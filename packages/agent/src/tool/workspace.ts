import { realpathSync } from 'node:fs'
import { lstat, realpath, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { ToolFailure } from './tool.ts'

/** Temporary stand-in: the branch `filetools` has the real one. */
export interface Workspace {
  root: string
  locate(path: string): Promise<string>
  locateNew(path: string): Promise<string>
  write(real: string, text: string): Promise<void>
  alone<T>(real: string, work: () => Promise<T>): Promise<T>
  show(real: string): string
}

/** Temporary stand-in: one root, links resolved, no protected paths. */
export function createWorkspace({ roots }: { roots: readonly string[] }): Workspace {
  const root = realpathSync(roots[0]!)
  const inside = (real: string, path: string): string => {
    const way = relative(root, real)
    if (way.startsWith('..') || isAbsolute(way)) throw new ToolFailure('CHATMD_PATH_OUTSIDE', `${path} is outside.`)
    return real
  }
  return {
    root,
    async locate(path) {
      const wanted = inside(resolve(root, path), path)
      const real = await realpath(wanted).catch(() => {
        throw new ToolFailure('CHATMD_FILE_NOT_FOUND', `${path} does not exist.`)
      })
      return inside(real, path)
    },
    async locateNew(path) {
      const missing: string[] = []
      for (let at = inside(resolve(root, path), path); ; at = dirname(at)) {
        if ((await lstat(at).catch(() => undefined)) === undefined) missing.unshift(basename(at))
        else return inside(join(await realpath(at), ...missing), path)
      }
    },
    write: (real, text) => writeFile(real, text),
    alone: (_, work) => work(),
    show: real => relative(root, real),
  }
}
