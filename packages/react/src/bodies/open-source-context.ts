import { type Context, createContext } from 'react'

/** Something long that a reader wants to see in its own pane. */
export type OpenedSource = { name: string } & (
  | { kind: 'text' | 'terminal'; text: string }
  | { kind: 'diff'; diff?: string | undefined; before?: string | undefined; after?: string | undefined }
  /** The work of an agent that a call runs: the run or message that contains the call, and the call. */
  | { kind: 'run'; scope: string; toolCallId: string }
)

/** Shows a source in a pane; undefined if the page around a body has none. */
export const OpenSourceContext: Context<((source: OpenedSource) => void) | undefined> = createContext<
  ((source: OpenedSource) => void) | undefined
>(undefined)
