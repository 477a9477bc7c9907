import { ArgotError, toolCalls } from '@argot/core'
import { isSettled } from '@argot/core/stream'
import type { RunResult } from './run-options.ts'

/**
 * A run's answer, for `run.text`. Rejects if there is none: with the code and message of the failure, or with
 * `RUN_STOPPED` or `RUN_PARKED`. A promise that no one awaits doesn't end the process.
 */
export function answerText(result: Promise<RunResult>): Promise<string> {
  const text = result.then(toText)
  text.catch(() => {})
  return text
}

function toText(result: RunResult): string {
  switch (result.status) {
    case 'done':
      return result.text
    case 'failed':
      throw new ArgotError(result.code, result.error)
    case 'stopped':
      throw new ArgotError('RUN_STOPPED', 'The run was stopped before it answered.')
    case 'parked':
      throw new ArgotError('RUN_PARKED', describeParked(result))
  }
}

function describeParked({ message }: Extract<RunResult, { status: 'parked' }>): string {
  const names = toolCalls(message).flatMap(call => (isSettled(call) ? [] : [call.toolName]))
  return `The run has no answer yet: it is waiting for ${names.join(', ')}. run.result contains the waiting calls.`
}
