import { type ReactNode, useEffect, useId, useRef, useState } from 'react'

export interface AskDialogProps {
  title: string
  label: string
  initial: string
  action: string
  /** With what was written; undefined when the person left it. */
  onDone: (text: string | undefined) => void
}

/** Asks for one line of text. */
export function AskDialog({ title, label, initial, action, onDone }: AskDialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState(initial)
  const id = useId()
  useEffect(() => dialog.current?.showModal(), [])
  const wanted = text.trim()
  return (
    <dialog ref={dialog} className="ask" aria-labelledby={`${id}-title`} onClose={() => onDone(undefined)}>
      <form
        onSubmit={event => {
          event.preventDefault()
          if (wanted !== '') onDone(wanted)
        }}
      >
        <h2 id={`${id}-title`}>{title}</h2>
        <label htmlFor={id}>{label}</label>
        <input
          id={id}
          className="field"
          value={text}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          onChange={event => setText(event.target.value)}
        />
        <div className="acts">
          <button type="submit" className="button" data-kind="primary" aria-disabled={wanted === ''}>
            {action}
          </button>
          <button type="button" className="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  )
}
