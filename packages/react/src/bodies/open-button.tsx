import { type ReactNode, useContext } from 'react'
import { usePartLocale } from '../locale/part-locale.ts'
import { type OpenedSource, OpenSourceContext } from './open-source-context.ts'

/** Renders nothing if the page has no pane. */
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
