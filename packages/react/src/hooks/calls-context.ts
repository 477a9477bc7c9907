import type { ToolInvocation } from '@argot/core'
import { type Context, createContext } from 'react'
import type { SubRunState } from '../store/run/sub-runs.ts'
import type { CallSource, ToolCallTarget } from './call-target.ts'

/** What a chat knows about a call besides the call itself. */
export interface CallSurroundings {
  sub: SubRunState | undefined
  /** The keys of the calls inside it, at any depth, that wait for the person. */
  questions: readonly string[]
  /** Since when the server does not answer, in milliseconds since 1970. */
  goneSince: number | undefined
}

/** How to subscribe to a chat's calls: hooks from the provider, so that a standalone card does without them. */
export interface CallsInChat {
  useCall: (target: ToolCallTarget, words: ((call: ToolInvocation) => string) | undefined) => CallSource | undefined
  useSurroundings: (scope: string | undefined, toolCallId: string) => CallSurroundings
}

/** A turn's failed calls that were repaired, by key, with the number of the successful try. */
export const RepairsContext: Context<ReadonlyMap<string, number>> = createContext<ReadonlyMap<string, number>>(
  new Map(),
)

/** Whether something around a card announces its calls to screen readers. */
export const AnnouncedContext: Context<boolean> = createContext(false)

export const CallsContext: Context<CallsInChat | undefined> = createContext<CallsInChat | undefined>(undefined)
