import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, constants, realpath, stat } from 'node:fs/promises'
import { delimiter, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isInside } from '../files/local-file.ts'
import { absolutePath } from '../tool/absolute-path.ts'
import { splitCommand } from '../tool/process/split-command.ts'

/** What a command line really starts, so that trust in it doesn't extend to something else with the same name. */
export interface CommandIdentity {
  /** Its real path. */
  program: string
  /** The project files that the command line names, including the program if it is one: real path and SHA-256. */
  files: readonly TrustedFile[]
}

export interface TrustedFile {
  path: string
  sha256: string
}

export interface IdentifyOptions {
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  /** The project's folders: files in them are remembered with their content. */
  roots: readonly string[]
}

/** Relative entries of `PATH` are ignored. Undefined if there is no such program. */
export async function identifyCommand(command: string, options: IdentifyOptions): Promise<CommandIdentity | undefined> {
  const words = splitWords(command)
  const program = words && (await findProgram(words[0], options))
  if (words === undefined || program === undefined) return undefined
  const roots = await Promise.all(options.roots.map(root => realpath(root).catch(() => resolve(root))))
  const names = words.slice(1).flatMap(word => [word, word.slice(word.indexOf('=') + 1)])
  const candidates = await Promise.all(names.map(word => realFile(resolve(options.cwd, word))))
  const paths = new Set([program, ...candidates].filter(path => path !== undefined))
  const inside = [...paths].filter(path => roots.some(root => isInside(root, path))).sort()
  const files: TrustedFile[] = []
  for (const path of inside) files.push({ path, sha256: await hashFile(path) })
  return { program, files }
}

function splitWords(command: string): [string, ...string[]] | undefined {
  try {
    return splitCommand(command.replace(/^stdio:/, ''))
  } catch {
    return undefined
  }
}

async function findProgram(word: string, { cwd, env }: IdentifyOptions): Promise<string | undefined> {
  const isPath = word.includes('/') || (process.platform === 'win32' && word.includes('\\'))
  if (isPath) return realProgram(resolve(cwd, word))
  const endings = process.platform === 'win32' ? ['', ...(getVariable(env, 'PATHEXT') ?? '.EXE').split(';')] : ['']
  for (const folder of absolutePath(getVariable(env, 'PATH') ?? '').split(delimiter)) {
    for (const ending of endings) {
      const program = await realProgram(resolve(folder, word + ending))
      if (program !== undefined) return program
    }
  }
  return undefined
}

/** Windows spells it `Path`. */
function getVariable(env: IdentifyOptions['env'], name: string): string | undefined {
  return env[name] ?? Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1]
}

async function realProgram(path: string): Promise<string | undefined> {
  const real = await realFile(path)
  const canRun = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
  return canRun ? real : undefined
}

async function realFile(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isFile() ? await realpath(path) : undefined
  } catch {
    return undefined
  }
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
