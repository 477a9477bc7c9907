import { type ReactNode, useContext } from 'react'
import { usePartLocale } from '../locale/part-locale.ts'
import { type OpenedSource, OpenSourceContext } from './open-source-context.ts'

/** "Open": shows a body's content in the page's pane. Renders nothing if there is none. */
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
