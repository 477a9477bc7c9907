import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'

/** Looks up a name in the absolute folders of `PATH`. A path with `/` is relative to the working directory. */
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
