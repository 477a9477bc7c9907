import type { ReactNode } from 'react'

/** A pane with its column, as a chat has it. */
export function Column({ children }: { children: ReactNode }): ReactNode {
  return (
    <div className="argot argot-pane">
      <div className="argot-column page">{children}</div>
    </div>
  )
}
