import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ArgotError } from '@argot/core'
import { describeSystemError, nearestNames } from '@argot/core/stream/internal'

export interface ErrorExplanation {
  text: string
  status: number
}

/** Explains an error from Argot or the system. Any other error is a bug in Argot and is shown unchanged. */
export function explainError(error: unknown): ErrorExplanation {
  if (error instanceof ArgotError) {
    return { text: `${error.message} (${error.code})`, status: error.code === 'SYNTAX_UNKNOWN' ? 2 : 1 }
  }
  const system = describeSystemError(error)
  if (system !== undefined) return { text: `${system}${suggestFile(error)}`, status: 1 }
  // Node's usual output must go through the safe writer, too.
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { text: `This is a bug in Argot. Please report it.\n${words}`, status: 1 }
}

function suggestFile(error: unknown): string {
  const { code, path } = error as NodeJS.ErrnoException
  if (code !== 'ENOENT' || path === undefined) return ''
  try {
    const [nearest] = nearestNames(basename(path), readdirSync(dirname(path)), 1)
    return nearest === undefined ? '' : `. Did you mean ${join(dirname(path), nearest)}?`
  } catch {
    return ''
  }
}
