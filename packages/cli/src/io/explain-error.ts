import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ArgotError } from '@argot/core'
import { describeSystemError, nearestNames } from '@argot/core/stream/internal'

/** What is said about an error that ended a command, and the exit status. */
export interface Explained {
  text: string
  status: number
}

/** Explains an error of Argot or of the system; any other is a mistake of Argot, and is shown as it is. */
export function explainError(error: unknown): Explained {
  if (error instanceof ArgotError) {
    return { text: `${error.message} (${error.code})`, status: error.code === 'SYNTAX_UNKNOWN' ? 2 : 1 }
  }
  const system = describeSystemError(error)
  if (system !== undefined) return { text: `${system}${meantFile(error)}`, status: 1 }
  // What Node would print itself goes by the safe writer, too.
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { text: `This is an error in Argot; please report it.\n${words}`, status: 1 }
}

/** The file beside one that is missing which has almost its name. */
function meantFile(error: unknown): string {
  const { code, path } = error as NodeJS.ErrnoException
  if (code !== 'ENOENT' || path === undefined) return ''
  try {
    const [nearest] = nearestNames(basename(path), readdirSync(dirname(path)), 1)
    return nearest === undefined ? '' : `. Did you mean ${join(dirname(path), nearest)}?`
  } catch {
    return ''
  }
}
