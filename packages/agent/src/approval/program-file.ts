import { readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { findProgram } from '../tool/sandbox/find-program.ts'
import { type CommandReadings, knownPrograms, programName, readCommand } from './command-readings.ts'
import { multiCallPrograms } from './command-table.ts'

export interface ProgramPlaces {
  cwd: string
  path: string | undefined
}

export interface ProgramFile {
  /** Its own name and those of all links that lead to it. */
  names: ReadonlySet<string>
  /** Device and inode, the same for every link. Undefined for a program that acts as many, depending on its name. */
  id?: string
  /** It has hard links, so it may have other names. */
  isLinked: boolean
}

export interface InspectedCommand extends CommandReadings {
  files: ReadonlyMap<string, ProgramFile | undefined>
}

export async function inspectCommand(words: readonly string[], places: ProgramPlaces): Promise<InspectedCommand> {
  const files = new Map<string, ProgramFile | undefined>()
  const others = new Map<string, readonly string[]>()
  for (;;) {
    const reading = readCommand(words, others)
    const programs = new Set(reading.readings.map(([program = '']) => program))
    const unknown = [...programs].filter(program => !files.has(program))
    if (unknown.length === 0) return { ...reading, files }
    for (const program of unknown) {
      const file = await findProgramFile(program, places)
      files.set(program, file)
      others.set(program, file === undefined ? [] : await otherNames(program, file, places))
    }
  }
}

/** The program's other names that have their own reading rules. */
async function otherNames(program: string, file: ProgramFile, places: ProgramPlaces): Promise<string[]> {
  if (knownPrograms.has(programName(program))) return []
  const names = [...file.names].filter(name => knownPrograms.has(name))
  if (names.length > 0 || file.id === undefined || !file.isLinked) return names
  for (const name of knownPrograms) {
    const other = await findProgram(name, places.path, places.cwd)
    if (other !== undefined && (await readId(other)).id === file.id) return [name]
  }
  return []
}

/** No system follows more links than this. */
const MAX_LINKS = 40

export async function findProgramFile(program: string, { cwd, path }: ProgramPlaces): Promise<ProgramFile | undefined> {
  try {
    const place = await findProgram(program, path, cwd)
    if (place === undefined) return undefined
    const names = new Set<string>()
    for (const link of await followLinks(place)) names.add(link).add(programName(link))
    const { id, isLinked } = await readId(place)
    const isMultiCall =
      multiCallPrograms.has(basename(await realpath(place))) || (isLinked && (await isMultiCallLink(id, path)))
    return isMultiCall ? { names, isLinked } : { names, isLinked, id }
  } catch {
    return undefined
  }
}

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

async function isMultiCallLink(id: string, path: string | undefined): Promise<boolean> {
  for (const program of multiCallPrograms) {
    const other = await findProgram(program, path, '/')
    if (other !== undefined && (await readId(other)).id === id) return true
  }
  return false
}
