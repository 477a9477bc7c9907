import type { ReactNode } from 'react'
import { useLocale } from '../../locale/frame-locale.ts'
import type { EditedFile } from './find-edits.ts'

export function Counts({ added, removed }: Pick<EditedFile, 'added' | 'removed'>): ReactNode {
  const { box, call } = useLocale()
  return (
    <>
      {added !== undefined && added > 0 && (
        <span className="argot-added">
          <span aria-hidden="true">{`+${call.number(added)}`}</span>
          <span className="argot-hidden">{box.changes.added(added)}</span>
        </span>
      )}
      {removed !== undefined && removed > 0 && (
        <span className="argot-removed">
          <span aria-hidden="true">{`−${call.number(removed)}`}</span>
          <span className="argot-hidden">{box.changes.removed(removed)}</span>
        </span>
      )}
    </>
  )
}
