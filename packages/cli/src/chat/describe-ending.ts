import type { RunResult } from '@argot/agent'
import { ArgotError } from '@argot/core'
import type { Paint } from '../io/paint.ts'
import { safeText } from '../io/safe-text.ts'

export function describeEnding(
  { result, error, summary }: { result: RunResult | undefined; error: Error | undefined; summary: string },
  paint: Paint,
): string[] {
  if (result === undefined) {
    const code = error instanceof ArgotError ? ` (${error.code})` : ''
    return error === undefined ? [] : [paint(safeText(`${error.message}${code}`), 'red')]
  }
  switch (result.status) {
    case 'done':
      return [paint(summary, 'dim')]
    case 'stopped':
      return [paint(`Stopped. ${summary}. /retry continues.`, 'dim')]
    case 'parked':
      return [paint('The question is still open. /retry asks it again; a new message skips the call.', 'yellow')]
    case 'failed':
      if (result.code === 'RUN_NOTHING_TO_ANSWER') return []
      return [
        paint(safeText(`${result.error} (${result.code})`), 'red'),
        paint(`${summary}. /retry tries again.`, 'dim'),
      ]
  }
}
