import { lstatSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { Store } from '@argot/agent'
import { notFound, Problem } from './problem.ts'

const extension = '.chatmd'

/**
 * A document's path in the store. Accepts only documents, only below the root, and no hidden folders. A link's target
 * must be below the root, too.
 */
export function documentPath(root: string | undefined, rawPath: string): string {
  const names = rawPath.split('/')
  const isPlain =
    rawPath.length <= 1024 &&
    rawPath.endsWith(extension) &&
    names.every(
      name => name !== '' && !name.startsWith('.') && name !== 'node_modules' && Buffer.byteLength(name) <= 255,
    ) &&
    !/[\u0000-\u001f\u007f\\]/.test(rawPath)
  if (!isPlain) throw badPath()
  if (root !== undefined && !staysInside(root, rawPath)) throw badPath()
  return rawPath
}

/**
 * Throws if the folder has no such document. A folder, pipe or device isn't a document, whatever its name. Without a
 * folder, only the path is checked.
 */
export function existingDocument(root: string | undefined, rawPath: string): string {
  const path = documentPath(root, rawPath)
  if (root !== undefined && !isDocument(join(root, path))) throw notFound(`document \`${rawPath.slice(0, 200)}\``)
  return path
}

export async function requireDocument({ root, documents }: Store, rawPath: string): Promise<string> {
  const path = existingDocument(root, rawPath)
  if (root === undefined && !(await isStored(documents, path))) throw notFound(`document \`${rawPath.slice(0, 200)}\``)
  return path
}

export async function isStored(documents: Store['documents'], path: string): Promise<boolean> {
  try {
    await (documents.readStart?.(path, 1) ?? documents.read(path))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException | null)?.code === 'ENOENT') return false
    throw error
  }
}

export function realDocument(root: string | undefined, path: string): string {
  return root === undefined ? path : relative(realpathSync(root), realpathSync(join(root, path)))
}

export function isDocument(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true
}

function staysInside(root: string, path: string): boolean {
  const real = realpathSync(root)
  const existing = nearestRealPath(join(real, path))
  const inside = relative(real, existing)
  return inside === '' || (inside !== '..' && !inside.startsWith(`..${sep}`) && !inside.startsWith(sep))
}

/** The file's, or that of its nearest existing parent folder. */
function nearestRealPath(path: string): string {
  for (let at = path; ; at = dirname(at)) {
    try {
      return realpathSync(at)
    } catch (error) {
      // A dangling link would be followed when the file is created. A path below a file doesn't exist, either.
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT' || lstatSync(at, { throwIfNoEntry: false }) !== undefined) throw badPath(error)
      if (dirname(at) === at) return at
    }
  }
}

function badPath(cause?: unknown): Problem {
  const message = "A document's name is its path below the served folder, and ends with `.chatmd`."
  const problem = new Problem(400, 'SERVER_BAD_PATH', message)
  problem.cause = cause
  return problem
}
