import type { ToolInvocation } from '@argot/core'
import { type Context, createContext } from 'react'
import type { SubRunState } from '../store/run/sub-runs.ts'
import type { CallSource, ToolCallTarget } from './call-target.ts'

/** What a chat knows of a call besides the call. */
export interface CallSurroundings {
  /** What the agent does that the call runs. */
  sub: SubRunState | undefined
  /** The keys of the calls inside it, at any depth, that wait for the person. */
  questions: readonly string[]
  /** Since when the server does not answer, in milliseconds since 1970. */
  goneSince: number | undefined
}

/** How calls of a chat are followed: hooks, given by the provider, so that a card on its own does without them. */
export interface CallsInChat {
  useCall: (target: ToolCallTarget, words: ((call: ToolInvocation) => string) | undefined) => CallSource | undefined
  useSurroundings: (scope: string | undefined, toolCallId: string) => CallSurroundings
}

/** The calls of a turn that failed and were repaired, with the try that passed, by their keys. */
export const RepairsContext: Context<ReadonlyMap<string, number>> = createContext<ReadonlyMap<string, number>>(
  new Map(),
)

/** Whether something around a card announces its calls to people who do not see the page. */
export const AnnouncedContext: Context<boolean> = createContext(false)

export const CallsContext: Context<CallsInChat | undefined> = createContext<CallsInChat | undefined>(undefined)
