import { visibleLine } from '@argot/core/stream/internal'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { BodyStateScope } from '../../bodies/body-state.tsx'
import { Diff } from '../../bodies/diff/diff.tsx'
import { useLocale } from '../../locale/frame-locale.ts'
import { Counts } from './counts.tsx'
import type { EditedFile } from './find-edits.ts'

export interface ReviewChangesProps {
  files: readonly EditedFile[]
  onClose: () => void
}

/** All of a turn's files, one diff after the other. N and P go to the next and to the previous file. */
export default function ReviewChanges({ files, onClose }: ReviewChangesProps): ReactNode {
  const { box } = useLocale()
  const dialog = useRef<HTMLDialogElement>(null)
  const headings = useRef<(HTMLHeadingElement | null)[]>([])
  const [at, setAt] = useState(0)
  useEffect(() => {
    dialog.current?.showModal()
    headings.current[0]?.focus({ preventScroll: true })
  }, [])
  const goTo = (index: number): void => {
    const heading = headings.current[index]
    if (heading === null || heading === undefined) return
    setAt(index)
    heading.focus({ preventScroll: true })
    heading.scrollIntoView({ block: 'start' })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    // The box has its own keys.
    event.stopPropagation()
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const step = { n: 1, p: -1 }[event.key.toLowerCase()]
    if (step === undefined) return
    event.preventDefault()
    goTo(at + step)
  }
  const { changes: text } = box
  return (
    <dialog
      ref={dialog}
      className="argot-review"
      aria-label={text.title(files.length)}
      onClose={onClose}
      onKeyDown={onKeyDown}
    >
      <div className="argot-review-head">
        <h2>{text.title(files.length)}</h2>
        {files.length > 1 && (
          <span className="argot-push argot-changes-steps">
            <span className="argot-quiet" role="status">
              {box.found(at + 1, files.length)}
            </span>
            <button
              type="button"
              className="argot-link"
              aria-keyshortcuts="p"
              aria-disabled={at === 0}
              onClick={() => goTo(at - 1)}
            >
              {text.previous}
            </button>
            <button
              type="button"
              className="argot-link"
              aria-keyshortcuts="n"
              aria-disabled={at === files.length - 1}
              onClick={() => goTo(at + 1)}
            >
              {text.next}
            </button>
          </span>
        )}
        <button
          type="button"
          className={files.length > 1 ? 'argot-link' : 'argot-link argot-push'}
          onClick={() => dialog.current?.close()}
        >
          {box.close}
        </button>
      </div>
      <div className="argot-review-list">
        {files.map((file, index) => (
          <section key={file.path} className="argot-changes-file">
            <h3
              ref={element => {
                headings.current[index] = element
              }}
              tabIndex={-1}
            >
              <bdi>{visibleLine(file.path)}</bdi>
              {file.diffs.length !== 1 && <Counts added={file.added} removed={file.removed} />}
            </h3>
            {file.diffs.length === 0 && <p className="argot-quiet">{text.noDiff}</p>}
            {file.diffs.map((diff, number) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the diffs of a turn that is over never move
              <BodyStateScope key={number} name={`${index}-${number}`}>
                <Diff {...diff} />
              </BodyStateScope>
            ))}
          </section>
        ))}
      </div>
    </dialog>
  )
}
