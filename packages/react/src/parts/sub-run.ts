import type { ToolInvocation } from '@argot/core'
import { type CallLocale, isSettled } from '@argot/core/stream'
import { describeCall } from '../hooks/words.ts'

/** What an agent does that a call runs: its own calls, and what it says. */
export interface SubRun {
  /** The name of the run inside a chat: its calls are found by it. */
  key?: string | undefined
  calls: readonly ToolInvocation[]
  /** The newest line of its text. */
  line?: string | undefined
}

/** What the agent is doing: its newest call that is not settled, else what it said last, else its last call. */
export function currentLine({ calls, line }: SubRun, locale: CallLocale): string | undefined {
  const open = calls.findLast(call => !isSettled(call))
  if (open === undefined && line !== undefined) return line
  const call = open ?? calls.at(-1)
  if (call === undefined) return undefined
  const { verb, subject } = describeCall(call, { locale, started: true })
  return subject === undefined ? verb : `${verb} ${subject}`
}
