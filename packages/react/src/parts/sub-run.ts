import type { ToolInvocation } from '@argot/core'
import { type CallLocale, isSettled } from '@argot/core/stream'
import { describeCall } from '../hooks/words.ts'

/** The work of an agent that a call runs: its own calls, and its text. */
export interface SubRun {
  /** The run's key inside a chat, which leads to its calls. */
  key?: string | undefined
  calls: readonly ToolInvocation[]
  /** The newest line of its text. */
  line?: string | undefined
}

/** The agent's current activity: its newest unsettled call, else its last text, else its last call. */
export function currentLine({ calls, line }: SubRun, locale: CallLocale): string | undefined {
  const open = calls.findLast(call => !isSettled(call))
  if (open === undefined && line !== undefined) return line
  const call = open ?? calls.at(-1)
  if (call === undefined) return undefined
  const { verb, subject } = describeCall(call, { locale, started: true })
  return subject === undefined ? verb : `${verb} ${subject}`
}
