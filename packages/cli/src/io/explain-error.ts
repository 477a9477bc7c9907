import { ArgotError } from '@argot/core'
import { describeSystemError } from '@argot/core/stream/internal'

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
  if (system !== undefined) return { text: system, status: 1 }
  // What Node would print itself goes by the safe writer, too.
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { text: `This is an error in Argot; please report it.\n${words}`, status: 1 }
}
