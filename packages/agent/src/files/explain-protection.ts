import { lstat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { quoted } from '../words/quoted.ts'
import { gitFolders } from './find-protected.ts'
import { isInside, resolveLinks } from './local-file.ts'
import { protectedNameIn } from './protected-names.ts'

/**
 * Why a file must never be changed, as the beginning of a sentence; undefined if it may be. Protected are names that
 * other programs obey, at any depth below the root, and git folders, whatever their name.
 */
export async function explainProtection(real: string, root: string): Promise<string | undefined> {
  const relativePath = relative(root, real)
  const name = protectedNameIn(relativePath)
  if (name !== undefined) return `other programs obey ${quoted(name)} and may run what it says`
  const folders = foldersBetween(root, real)
  for (const folder of folders) {
    if (await isGitFolder(folder, nameBelow(folder, real))) return `${quoted(folder)} is a git folder`
    if (await isNamedByGit(folder, real)) return `${quoted(join(folder, '.git'))} marks this folder as a git folder`
  }
  return undefined
}

function foldersBetween(root: string, real: string): string[] {
  const folders: string[] = []
  for (let at = dirname(real); isInside(root, at); at = dirname(at)) {
    folders.unshift(at)
    if (at === root) break
  }
  return folders
}

/** The name in `folder` through which the change happens: the file's, or that of the folder on the way to it. */
function nameBelow(folder: string, real: string): string {
  return relative(folder, real).split(sep)[0] ?? ''
}

/** Whether git would use a folder as its own once it contains something of this name. */
async function isGitFolder(folder: string, name: string): Promise<boolean> {
  const has = async (one: string): Promise<boolean> => one === name || (await exists(join(folder, one)))
  if (!(await has('HEAD'))) return false
  return (await has('commondir')) || ((await has('objects')) && (await has('refs')))
}

async function isNamedByGit(folder: string, real: string): Promise<boolean> {
  const file = join(folder, '.git')
  const stats = await lstat(file).catch(() => undefined)
  if (stats?.isFile() !== true) return false
  for (const gitFolder of await gitFolders(file)) {
    const place = await resolveLinks(gitFolder, gitFolder).catch(() => undefined)
    // A file that names everything protects only itself.
    if (place !== undefined && isInside(place.real, real) && !isInside(place.real, folder)) return true
  }
  return false
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
