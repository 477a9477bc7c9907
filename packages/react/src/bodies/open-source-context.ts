import { type Context, createContext } from 'react'

/** Something long that a reader wants to see in a pane of its own. */
export type OpenedSource = { name: string } & (
  | { kind: 'text' | 'terminal'; text: string }
  | { kind: 'diff'; diff?: string | undefined; before?: string | undefined; after?: string | undefined }
  /** What an agent does that a call runs: the run or message that the call is made in, and the call. */
  | { kind: 'run'; scope: string; toolCallId: string }
)

/** Shows a source in a pane; undefined where nothing around a body has one. */
export const OpenSourceContext: Context<((source: OpenedSource) => void) | undefined> = createContext<
  ((source: OpenedSource) => void) | undefined
>(undefined)
