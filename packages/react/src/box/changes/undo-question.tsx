import { type ChatTurnChanges, visibleLine } from '@argot/core/stream/internal'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useLocale } from '../../locale/frame-locale.ts'

export interface UndoQuestionProps {
  changes: ChatTurnChanges
  onUndo: () => Promise<void>
  onClose: () => void
}

/** Asks before undoing a turn: all files that are restored, all that stay, and everything else the turn did. */
export function UndoQuestion({ changes, onUndo, onClose }: UndoQuestionProps): ReactNode {
  const { box } = useLocale()
  const dialog = useRef<HTMLDialogElement>(null)
  const cancel = useRef<HTMLButtonElement>(null)
  const [isWorking, setWorking] = useState(false)
  const [fault, setFault] = useState<string>()
  const wordsId = useId()
  useEffect(() => {
    dialog.current?.showModal()
    // An Enter that was meant for something else must not undo anything.
    cancel.current?.focus()
  }, [])
  const { changes: text } = box
  const ready = changes.files.filter(({ state }) => state === 'ready')
  const refused = changes.files.filter(({ state }) => state === 'refused')
  const list = (names: readonly string[]): string => names.map(name => visibleLine(name)).join(', ')
  const undo = async (): Promise<void> => {
    setWorking(true)
    try {
      await onUndo()
      dialog.current?.close()
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error))
      setWorking(false)
    }
  }
  return (
    <dialog
      ref={dialog}
      className="argot-review argot-undo"
      role="alertdialog"
      aria-label={text.undoTitle}
      aria-describedby={wordsId}
      onClose={onClose}
      onKeyDown={event => event.stopPropagation()}
    >
      <div className="argot-review-head">
        <h2>{text.undoTitle}</h2>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div id={wordsId} className="argot-review-list" tabIndex={0}>
        <p>{text.restores(list(ready.map(({ path }) => path)), ready.length)}</p>
        {refused.map(({ path, reason = '' }) => (
          <p key={path}>{text.leaves(visibleLine(path), reason)}</p>
        ))}
        {changes.effects.length > 0 && (
          <p className="argot-wait">{text.notUndone(list(changes.effects.map(one => one.text)))}</p>
        )}
      </div>
      <div className="argot-review-foot">
        {fault !== undefined && (
          <p className="argot-fail" role="alert">
            {text.failed(fault)}
          </p>
        )}
        <button
          type="button"
          className="argot-button"
          data-kind="primary"
          disabled={isWorking}
          onClick={() => void undo()}
        >
          {isWorking ? text.working : text.undo}
        </button>
        <button ref={cancel} type="button" className="argot-button" onClick={() => dialog.current?.close()}>
          {text.cancel}
        </button>
      </div>
    </dialog>
  )
}
