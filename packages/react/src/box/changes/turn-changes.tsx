import { visibleLine } from '@argot/core/stream/internal'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { ComponentChunk, FromChunk } from '../../bodies/component-chunk.tsx'
import { useChatStore } from '../../hooks/chat-context.ts'
import { useLocale } from '../../locale/frame-locale.ts'
import { Counts } from './counts.tsx'
import { type EditedFile, findEdits, toEditedFiles } from './find-edits.ts'
import type { ReviewChangesProps } from './review-changes.tsx'
import { UndoQuestion } from './undo-question.tsx'
import { useChanges } from './use-changes.ts'

export interface TurnChangesProps {
  messageId: string
  /** Its place was reserved while the turn was live. It stays, so that nothing moves. */
  hasPlace: boolean
}

/** Further files are only counted, unless there is just one. */
const MOST_FILES = 3

const reviewChanges: ComponentChunk<ReviewChangesProps> = new ComponentChunk(() => import('./review-changes.tsx'))

/** One line below a turn: the changed files, a review of all of them, and undo if the server supports it. */
export default function TurnChanges({ messageId, hasPlace }: TurnChangesProps): ReactNode {
  const { box, card } = useLocale()
  const store = useChatStore()
  const line = useRef<HTMLDivElement>(null)
  const review = useRef<HTMLButtonElement>(null)
  const isUndone = useRef(false)
  const { changes, read } = useChanges(messageId, line)
  const message = store.conversation.record(messageId)?.message()
  const editedFiles = useMemo(() => (message === undefined ? [] : findEdits(message)), [message])
  const [open, setOpen] = useState<'review' | 'undo'>()
  const [fault, setFault] = useState<string>()
  // A turn that a user joined has several messages: the last one represents the whole turn.
  const isWhole = changes !== undefined && (changes.message ?? messageId) === messageId
  const files = isWhole ? toEditedFiles(changes) : editedFiles
  if (files.length === 0) return <div ref={line} className={hasPlace ? 'argot-changes' : undefined} data-empty="" />
  const canUndo = isWhole && changes.isOver && store.adapter.undoTurn !== undefined
  const isReady = canUndo && changes.files.some(({ state }) => state === 'ready')
  const openFresh = async (what: 'review' | 'undo'): Promise<void> => {
    setFault(undefined)
    // Files change while a page is open, so the question is about their current state.
    const isRead = await read().then(
      () => true,
      (error: unknown) => {
        setFault(error instanceof Error ? error.message : String(error))
        return false
      },
    )
    if (isRead || what === 'review') setOpen(what)
  }
  const close = (): void => {
    setOpen(undefined)
    // An undo removes the button that opened the dialog, and with it the focus that the browser gives back to it.
    const isLost = isUndone.current || review.current?.parentElement?.contains(document.activeElement) !== true
    isUndone.current = false
    if (isLost) review.current?.focus()
  }
  const status = fault === undefined ? describeUndone(changes, isWhole, box, card.clock) : box.changes.failed(fault)
  return (
    <div ref={line} className="argot-changes">
      <FileNames files={files} />
      <span className="argot-changes-state" role="status">
        {status}
      </span>
      <span className="argot-changes-actions">
        <button
          ref={review}
          type="button"
          className="argot-link"
          aria-haspopup="dialog"
          onClick={() => void openFresh('review')}
        >
          {box.changes.reviewAll}
        </button>
        {isReady && (
          <button type="button" className="argot-link" aria-haspopup="dialog" onClick={() => void openFresh('undo')}>
            {box.changes.undo}
          </button>
        )}
      </span>
      {open === 'review' && <FromChunk chunk={reviewChanges} props={{ files, onClose: close }} />}
      {open === 'undo' && isWhole && (
        <UndoQuestion
          changes={changes}
          onClose={close}
          onUndo={async () => {
            await store.adapter.undoTurn?.({ messageId })
            await read()
            isUndone.current = true
          }}
        />
      )}
    </div>
  )
}

function FileNames({ files }: { files: readonly EditedFile[] }): ReactNode {
  const { box } = useLocale()
  const more = files.length - MOST_FILES
  return (
    <ul className="argot-changes-files" aria-label={box.changes.label}>
      {files.slice(0, more === 1 ? MOST_FILES + 1 : MOST_FILES).map(({ path, added, removed }) => (
        <li key={path} title={visibleLine(path)}>
          <bdi className="argot-changes-name">{visibleLine(path.split('/').at(-1) || path)}</bdi>
          <Counts added={added} removed={removed} />
        </li>
      ))}
      {more > 1 && <li className="argot-changes-more">{box.changes.more(more)}</li>}
    </ul>
  )
}

function describeUndone(
  changes: ReturnType<typeof useChanges>['changes'],
  isWhole: boolean,
  { changes: words }: ReturnType<typeof useLocale>['box'],
  clock: (time: number) => string,
): string | undefined {
  if (!isWhole || changes?.undoneAt === undefined) return undefined
  const refused = changes.files.filter(({ state }) => state === 'refused')
  const rest = refused.map(({ path, reason = '' }) => words.leaves(visibleLine(path.split('/').at(-1) ?? path), reason))
  return [words.undone(clock(Date.parse(changes.undoneAt))), ...rest].join('. ')
}
