import { visibleLine } from '@argot/core/stream/internal'
import type { TrashEntry } from '@argot/server/api'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { api } from '../server/api.ts'

export interface TrashDialogProps {
  onRestored: (path: string) => void
  onClose: () => void
}

/** So many deleted documents are listed, the newest first. */
const MOST = 200

/** The documents that were deleted, each a press away from where it was. */
export function TrashDialog({ onRestored, onClose }: TrashDialogProps): ReactNode {
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
    <dialog ref={dialog} className="ask trash" aria-label="Trash" onClose={onClose}>
      <div className="keys-head">
        <h2>Trash</h2>
        <button type="button" className="button" data-kind="quiet" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
      {problem !== undefined && (
        <p className="failed" role="alert">
          {problem}
        </p>
      )}
      {entries?.length === 0 && <p>Nothing has been deleted.</p>}
      <ul>
        {entries?.slice(0, MOST).map(entry => (
          <li key={entry.id}>
            <span>
              {visibleLine(entry.path)}
              <span className="meta">Deleted {new Date(entry.removedAt).toLocaleString('en')}</span>
            </span>
            <button
              type="button"
              className="button"
              data-kind="small"
              aria-label={`Restore ${visibleLine(entry.path)}`}
              onClick={() => void restore(entry)}
            >
              Restore
            </button>
          </li>
        ))}
      </ul>
      {entries !== undefined && entries.length > MOST && <p>{entries.length - MOST} older ones are not listed.</p>}
    </dialog>
  )
}
