import type { ReactNode } from 'react'
import { MiddleCut } from './text/middle-cut.tsx'

/** Paths, one to a line. */
export function PathList({ paths }: { paths: readonly string[] }): ReactNode {
  return (
    // biome-ignore lint/a11y/noRedundantRoles: without markers Safari takes the role away
    <ul className="argot-paths" role="list">
      {paths.map((path, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a list may name a path twice
        <li key={index}>
          <MiddleCut text={path} />
        </li>
      ))}
    </ul>
  )
}
