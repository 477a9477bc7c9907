import { lstat, realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isInside } from '../../files/local-file.ts'
import { quoted } from '../../words/quoted.ts'
import { ToolFailure } from '../../words/tool-failure.ts'

export interface RunFolder {
  /** The absolute path that the user specified. */
  path: string
  real: string
  /** Device and inode. */
  identity: string
}

/**
 * The folders of a run. Confined programs can rename and link everything in them, so a name is only valid as long as it
 * still leads to the same folder as when the run began.
 */
export interface RunFolders {
  /** Every folder that existed, once each, the outer ones first. */
  readonly folders: readonly RunFolder[]
  /** Folders that did not exist. They stay closed for the whole run, even if something of that name is created. */
  readonly missing: readonly string[]
  /** Reached by a link in another folder. A program of another run may have created it, so they stay closed. */
  readonly linked: readonly RunFolder[]
  /** Throws a `ToolFailure` if a name leads somewhere else now. */
  check(): Promise<void>
}

export async function openRunFolders(roots: readonly string[]): Promise<RunFolders> {
  const absoluteRoots = [...new Set(roots.map(root => resolve(root)))]
  const readings = await Promise.all(absoluteRoots.map(async path => ({ path, now: await readFolder(path) })))
  const all = readings.flatMap(({ path, now }) => (now === undefined ? [] : [{ path, ...now }]))
  const linked = await findLinked(all)
  const existing = all.filter(one => !linked.includes(one))
  const isNested = ({ real }: RunFolder): boolean =>
    existing.some(outer => outer.real !== real && isInside(outer.real, real))
  const folders = existing
    // If a folder was specified both by a link and by its real path, prefer the real path.
    .sort((a, b) => a.real.length - b.real.length || Number(a.path !== a.real) - Number(b.path !== b.real))
    .filter((one, at, list) => list.findIndex(({ real }) => real === one.real) === at)
  return {
    folders,
    missing: readings.filter(({ now }) => now === undefined).map(({ path }) => path),
    linked,
    async check() {
      for (const folder of existing) {
        const problem = describeDifference(folder, await readFolder(folder.path), isNested(folder))
        if (problem !== undefined) throw folderChanged(folder.path, problem)
      }
    },
  }
}

/** The folders outside all others that are reached only through a link inside one of the others. */
async function findLinked(folders: readonly RunFolder[]): Promise<RunFolder[]> {
  const linked: RunFolder[] = []
  for (const folder of folders) {
    const others = folders.filter(({ real }) => real !== folder.real)
    if (folder.path === folder.real || others.some(({ real }) => isInside(real, folder.real))) continue
    if (folders.some(({ path, real }) => path === folder.real && real === folder.real)) continue
    if (await goesThroughLinkIn(folder.path, others)) linked.push(folder)
  }
  return linked
}

async function goesThroughLinkIn(path: string, folders: readonly RunFolder[]): Promise<boolean> {
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    const isLink = await lstat(at).then(
      status => status.isSymbolicLink(),
      () => false,
    )
    if (!isLink) continue
    const place = await realpath(dirname(at)).catch(() => dirname(at))
    if (folders.some(({ real }) => isInside(real, place))) return true
  }
  return false
}

async function readFolder(path: string): Promise<Omit<RunFolder, 'path'> | undefined> {
  try {
    const real = await realpath(path)
    const { dev, ino } = await stat(real, { bigint: true })
    return { real, identity: `${dev}:${ino}` }
  } catch {
    return undefined
  }
}

/** A nested folder may be deleted and recreated, as builds do: nothing is mounted by its name alone. */
function describeDifference(
  before: RunFolder,
  now: Omit<RunFolder, 'path'> | undefined,
  isNested: boolean,
): string | undefined {
  if (now === undefined) return isNested ? undefined : 'it is gone'
  if (now.real !== before.real) return `it now leads to ${quoted(now.real)}`
  return now.identity === before.identity || isNested ? undefined : 'another folder has taken its place'
}

function folderChanged(path: string, problem: string): ToolFailure {
  const message =
    `The program was not started: the folder ${quoted(path)} is not the same folder as when the run began (${problem}). ` +
    "A run's programs can rename folders and create links, so the name can no longer be trusted. " +
    'The user should check it, put it back, or start a new run.'
  return new ToolFailure('TOOL_FOLDER_CHANGED', message)
}
