import { visibleLine } from '@argot/core/stream/internal'
import type { ReactNode } from 'react'

/** This many characters at the end stay, including the extension. */
const END_LENGTH = 16

/** A path on one line. A path that is too long is cut in the middle: folder, extension and the end of the name stay. */
export function FileName({ path: rawPath }: { path: string }): ReactNode {
  const path = visibleLine(rawPath)
  const name = path.replace(/^.*\//, '')
  const folder = path.slice(0, path.length - name.length)
  const cut = Math.max(0, Math.min(name.length - 7, name.length - END_LENGTH))
  return (
    <span className="file-name">
      <span className="argot-hidden">{path}</span>
      <span className="file-start" aria-hidden="true">
        {folder !== '' && <span className="file-folder">{folder}</span>}
        {name.slice(0, cut)}
      </span>
      <span className="file-end" aria-hidden="true">
        {name.slice(cut)}
      </span>
    </span>
  )
}
