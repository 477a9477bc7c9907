import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'

/**
 * The path of a program. A name is looked up in the absolute folders of `PATH`; anything with a `/` is relative to the
 * working directory. Undefined if there is no executable.
 */
export async function findProgram(program: string, path: string | undefined, cwd: string): Promise<string | undefined> {
  const places = program.includes('/')
    ? [resolve(cwd, program)]
    : (path ?? '/usr/local/bin:/usr/bin:/bin')
        .split(':')
        .filter(isAbsolute)
        .map(folder => join(folder, program))
  for (const place of places) if (await isExecutable(place)) return place
  return undefined
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
