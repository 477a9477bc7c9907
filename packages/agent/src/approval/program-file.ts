import { readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { findProgram } from '../tool/sandbox/find-program.ts'
import { type CommandReadings, programName, readCommand, readPrograms } from './command-readings.ts'
import { multiCallPrograms } from './command-table.ts'

/** Where programs are looked for. */
export interface ProgramPlaces {
  /** Where a relative path starts. */
  cwd: string
  /** The folders of `PATH`. */
  path: string | undefined
}

/** The file that a program is. */
export interface ProgramFile {
  /** The names of all links on the way to it, and its own. */
  names: ReadonlySet<string>
  /** Device and inode: the same for every link to it. Undefined for a program that is many, by the name it is started under. */
  id?: string
  /** It has hard links: its name may be another one. */
  isLinked: boolean
}

/** A command line with the files of the programs in it. */
export interface InspectedCommand extends CommandReadings {
  /** By what the program is called in a reading. */
  files: ReadonlyMap<string, ProgramFile | undefined>
}

/** Reads a command line, and finds out which programs the names in it are. */
export async function inspectCommand(words: readonly string[], places: ProgramPlaces): Promise<InspectedCommand> {
  const files = new Map<string, ProgramFile | undefined>()
  const others = new Map<string, readonly string[]>()
  for (;;) {
    const read = readCommand(words, others)
    const programs = new Set(read.readings.map(([program = '']) => program))
    const unknown = [...programs].filter(program => !files.has(program))
    if (unknown.length === 0) return { ...read, files }
    for (const program of unknown) {
      const file = await findProgramFile(program, places)
      files.set(program, file)
      others.set(program, file === undefined ? [] : await otherNames(program, file, places))
    }
  }
}

/** Under which other names a program is read in a way of its own. */
async function otherNames(program: string, file: ProgramFile, places: ProgramPlaces): Promise<string[]> {
  if (readPrograms.has(programName(program))) return []
  const names = [...file.names].filter(name => readPrograms.has(name))
  if (names.length > 0 || file.id === undefined || !file.isLinked) return names
  for (const name of readPrograms) {
    const other = await findProgram(name, places.path, places.cwd)
    if (other !== undefined && (await readId(other)).id === file.id) return [name]
  }
  return []
}

/** No system follows more links than this. */
const MAX_LINKS = 40

/** Finds the file of a program; undefined if there is none. */
export async function findProgramFile(program: string, { cwd, path }: ProgramPlaces): Promise<ProgramFile | undefined> {
  try {
    const place = await findProgram(program, path, cwd)
    if (place === undefined) return undefined
    const names = new Set<string>()
    for (const link of await followLinks(place)) names.add(link).add(programName(link))
    const { id, isLinked } = await readId(place)
    const isMany =
      multiCallPrograms.has(basename(await realpath(place))) || (isLinked && (await isLinkToMany(id, path)))
    return isMany ? { names, isLinked } : { names, isLinked, id }
  } catch {
    return undefined
  }
}

/** The path, each link that it leads to, and the file at the end. */
async function followLinks(place: string): Promise<string[]> {
  const links = [place]
  for (let at = place; links.length < MAX_LINKS; ) {
    const target = await readlink(at).catch(() => undefined)
    if (target === undefined) break
    at = resolve(dirname(at), target)
    links.push(at)
  }
  return [...links, await realpath(place)]
}

async function readId(place: string): Promise<{ id: string; isLinked: boolean }> {
  const { dev, ino, nlink } = await stat(place, { bigint: true })
  return { id: `${dev}:${ino}`, isLinked: nlink > 1n }
}

async function isLinkToMany(id: string, path: string | undefined): Promise<boolean> {
  for (const program of multiCallPrograms) {
    const other = await findProgram(program, path, '/')
    if (other !== undefined && (await readId(other)).id === id) return true
  }
  return false
}
