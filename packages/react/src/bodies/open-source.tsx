import { type Context, createContext, type ReactNode, useContext } from 'react'
import { usePartLocale } from '../locale/locale-context.ts'

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

/** "Open": shows what a body has in the pane of the page around it. Nothing where there is none. */
export function OpenButton({ source }: { source: () => OpenedSource }): ReactNode {
  const { body } = usePartLocale()
  const open = useContext(OpenSourceContext)
  if (open === undefined) return null
  return (
    <button type="button" className="argot-link" onClick={() => open(source())}>
      {body.open}
    </button>
  )
}
