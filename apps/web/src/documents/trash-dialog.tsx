import { visibleLine } from '@argot/core/stream/internal'
import type { TrashEntry } from '@argot/server/api'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { ProblemAlert } from '../frame/problem-alert.tsx'
import { useWords } from '../locale/words.ts'
import { api } from '../server/api.ts'

export interface TrashDialogProps {
  onRestored: (path: string) => void
  onClose: () => void
}

/** This many deleted documents are listed, newest first. */
const MOST = 200

export function TrashDialog({ onRestored, onClose }: TrashDialogProps): ReactNode {
  const { conversations: words, close } = useWords()
  const dialog = useRef<HTMLDialogElement>(null)
  const [entries, setEntries] = useState<readonly TrashEntry[]>()
  const [problem, setProblem] = useState<string>()
  const fail = useCallback((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)), [])
  useEffect(() => {
    dialog.current?.showModal()
    api.trash().then(list => setEntries(list.toReversed()), fail)
  }, [fail])
  const restore = async (entry: TrashEntry): Promise<void> => {
    try {
      await api.restore(entry)
      dialog.current?.close()
      onRestored(entry.path)
    } catch (error) {
      fail(error)
    }
  }
  return (
    <dialog ref={dialog} className="argot-ask trash" aria-label={words.trash} onClose={onClose}>
      <div className="keys-head">
        <h2>{words.trash}</h2>
        <button type="button" className="button" data-kind="quiet" onClick={() => dialog.current?.close()}>
          {close}
        </button>
      </div>
      <ProblemAlert problem={problem} />
      {entries?.length === 0 && <p>{words.trashEmpty}</p>}
      <ul>
        {entries?.slice(0, MOST).map(entry => (
          <li key={entry.id}>
            <span>
              {visibleLine(entry.path)}
              <span className="meta">{words.deletedAt(new Date(entry.removedAt))}</span>
            </span>
            <button
              type="button"
              className="button"
              data-kind="small"
              aria-label={words.restoreOne(visibleLine(entry.path))}
              onClick={() => void restore(entry)}
            >
              {words.restore}
            </button>
          </li>
        ))}
      </ul>
      {entries !== undefined && entries.length > MOST && <p>{words.olderLeftOut(entries.length - MOST)}</p>}
    </dialog>
  )
}
