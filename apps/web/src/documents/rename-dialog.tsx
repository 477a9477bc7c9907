import { visibleLine } from '@argot/core/stream/internal'
import type { DocumentEntry } from '@argot/server/api'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { ProblemAlert } from '../frame/problem-alert.tsx'
import { useWords } from '../locale/words.ts'
import { fileStem, folderName } from './arrange-documents.ts'

export interface RenameDialogProps {
  entry: DocumentEntry
  /** Opened to move the document: the folder field has the focus. */
  isMove: boolean
  folders: readonly string[]
  /** `title` is undefined if it did not change. Rejects with a reason for users. */
  onSave: (title: string | undefined, path: string) => Promise<void>
  onClose: () => void
}

export function RenameDialog({ entry, isMove, folders, onSave, onClose }: RenameDialogProps): ReactNode {
  const { conversations: words, cancel } = useWords()
  const dialog = useRef<HTMLDialogElement>(null)
  const first = useRef<HTMLInputElement>(null)
  const id = useId()
  const [title, setTitle] = useState(entry.title)
  const [name, setName] = useState(fileStem(entry.path))
  const [folder, setFolder] = useState(folderName(entry.path))
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    dialog.current?.showModal()
    first.current?.select()
    first.current?.focus()
  }, [])
  const save = async (): Promise<void> => {
    const stem = name.trim().replace(/\.chatmd$/, '')
    if (stem === '' || isBusy) return
    const place = folder.trim().replace(/^\/+|\/+$/g, '')
    setBusy(true)
    setProblem(undefined)
    try {
      const newTitle = title.trim() === entry.title.trim() ? undefined : title.trim()
      await onSave(newTitle, `${place === '' ? '' : `${place}/`}${stem}.chatmd`)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }
  return (
    <dialog ref={dialog} className="argot-ask" aria-labelledby={`${id}-heading`} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          void save()
        }}
      >
        <h2 id={`${id}-heading`}>{isMove ? words.move : words.rename}</h2>
        <label htmlFor={`${id}-title`}>{words.title}</label>
        <input
          id={`${id}-title`}
          ref={isMove ? undefined : first}
          className="field"
          value={title}
          maxLength={200}
          placeholder={words.titleHint}
          autoComplete="off"
          onChange={event => setTitle(event.target.value)}
        />
        <label htmlFor={`${id}-name`}>{words.fileName}</label>
        <span className="field-with-end">
          <input
            id={`${id}-name`}
            className="field"
            value={name}
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            onChange={event => setName(event.target.value)}
          />
          <span className="meta">.chatmd</span>
        </span>
        <label htmlFor={`${id}-folder`}>{words.folder}</label>
        <input
          id={`${id}-folder`}
          ref={isMove ? first : undefined}
          className="field"
          value={folder}
          maxLength={500}
          list={`${id}-folders`}
          placeholder={words.noFolder}
          autoComplete="off"
          spellCheck={false}
          onChange={event => setFolder(event.target.value)}
        />
        <datalist id={`${id}-folders`}>
          {folders.slice(0, 500).map(one => (
            <option key={one} value={one}>
              {visibleLine(one)}
            </option>
          ))}
        </datalist>
        <ProblemAlert problem={problem} />
        <div className="acts">
          <button type="submit" className="button" data-kind="primary" aria-disabled={name.trim() === '' || isBusy}>
            {isMove ? words.move : words.rename}
          </button>
          <button type="button" className="button" onClick={() => dialog.current?.close()}>
            {cancel}
          </button>
        </div>
      </form>
    </dialog>
  )
}
