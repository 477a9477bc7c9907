import type { ReactNode } from 'react'

export function Column({ children }: { children: ReactNode }): ReactNode {
  return (
    <div className="argot argot-pane">
      <div className="argot-column page">{children}</div>
    </div>
  )
}
