import type { ReactNode } from 'react'

/** Announced by screen readers when it appears. Draws nothing without a problem. */
export function ProblemAlert({ problem }: { problem: string | undefined }): ReactNode {
  if (problem === undefined) return null
  return (
    <p className="failed" role="alert">
      {problem}
    </p>
  )
}
