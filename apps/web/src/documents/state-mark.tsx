import type { DocumentEntry, RunResource } from '@argot/server/api'
import type { ReactNode } from 'react'
import { Icon } from '../frame/icon.tsx'
import { useWords } from '../locale/words.ts'
import { getState } from '../server/use-documents.ts'

export interface StateMarkProps {
  entry: DocumentEntry
  run: RunResource | undefined
  /** The document is open: its question is in view and needs no mark here. */
  isOpen: boolean
}

/** A mark for a document's state, in one of three shapes; nothing if it is idle. */
export function StateMark({ entry, run, isOpen }: StateMarkProps): ReactNode {
  const words = useWords().documents.states
  const state = getState(entry, run)
  if (state === 'waiting') {
    return isOpen ? (
      <span className="argot-hidden">{words.waiting}</span>
    ) : (
      <Mark kind="waiting" words={words.waiting} />
    )
  }
  if (state === 'running') return <Mark kind="running" words={words.running} />
  if (run?.state === 'failed') return <Mark kind="failed" words={words.failed} />
  return null
}

function Mark({ kind, words }: { kind: string; words: string }): ReactNode {
  return (
    <>
      <span className="mark" data-kind={kind}>
        {kind === 'failed' && <Icon name="cross" />}
      </span>
      <span className="argot-hidden">{words}</span>
    </>
  )
}
