import { lstatSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { Store } from '@argot/agent'
import { notFound, Problem } from './problem.ts'

const extension = '.chatmd'

/**
 * The path of a document as the store has it. Only documents, only below the root, no hidden folders; what a link leads to
 * must be there too.
 */
export function documentPath(root: string | undefined, given: string): string {
  const names = given.split('/')
  const isPlain =
    given.length <= 1024 &&
    given.endsWith(extension) &&
    names.every(
      name => name !== '' && !name.startsWith('.') && name !== 'node_modules' && Buffer.byteLength(name) <= 255,
    ) &&
    !/[\u0000-\u001f\u007f\\]/.test(given)
  if (!isPlain) throw badPath()
  if (root !== undefined && !staysInside(root, given)) throw badPath()
  return given
}

/** Throws for a document that is not there. A folder, a pipe or a device is not one, whatever its name. */
export function existingDocument(root: string | undefined, given: string): string {
  const path = documentPath(root, given)
  if (root !== undefined && !isDocument(join(root, path))) throw notFound(`document \`${given.slice(0, 200)}\``)
  return path
}

/** The same for any store: throws for a document that is not there. */
export async function requireDocument({ root, documents }: Store, given: string): Promise<string> {
  const path = existingDocument(root, given)
  if (root === undefined && !(await isStored(documents, path))) throw notFound(`document \`${given.slice(0, 200)}\``)
  return path
}

/** Whether a store whose documents are not files has this one. */
export async function isStored(documents: Store['documents'], path: string): Promise<boolean> {
  try {
    await (documents.readStart?.(path, 1) ?? documents.read(path))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException | null)?.code === 'ENOENT') return false
    throw error
  }
}

/** The path of the document that a path leads to, through links. */
export function realDocument(root: string | undefined, path: string): string {
  return root === undefined ? path : relative(realpathSync(root), realpathSync(join(root, path)))
}

/** Whether a file is there that can be a document. */
export function isDocument(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true
}

function staysInside(root: string, path: string): boolean {
  const real = realpathSync(root)
  const existing = deepest(join(real, path))
  const inside = relative(real, existing)
  return inside === '' || (inside !== '..' && !inside.startsWith(`..${sep}`) && !inside.startsWith(sep))
}

/** The real path of the file, or of the nearest folder above it that is there. */
function deepest(path: string): string {
  for (let at = path; ; at = dirname(at)) {
    try {
      return realpathSync(at)
    } catch (error) {
      // A link that leads nowhere would be followed when the file is made. What is below a file is nowhere, either.
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT' || lstatSync(at, { throwIfNoEntry: false }) !== undefined) throw badPath(error)
      if (dirname(at) === at) return at
    }
  }
}

function badPath(cause?: unknown): Problem {
  const message = 'A document is named by its path below the folder that is served, and ends with `.chatmd`.'
  const problem = new Problem(400, 'SERVER_BAD_PATH', message)
  problem.cause = cause
  return problem
}
