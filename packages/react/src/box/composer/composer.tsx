import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { ComponentChunk, FromChunk } from '../../bodies/component-chunk.tsx'
import { useChatStore } from '../../hooks/chat-context.ts'
import { usePendingCalls } from '../../hooks/use-chat.ts'
import { useValue } from '../../hooks/use-value.ts'
import { useLocale } from '../../locale/frame-locale.ts'
import { AttachButton } from '../attach-button.tsx'
import { type AttachmentLimits, type DraftFiles, useAttachments } from './use-attachments.ts'
import { useComposition } from './use-composition.ts'

/** Pressing Escape twice within this time stops a run. */
const ESCAPE_MS = 2000

export interface ComposerOptions {
  /** Enter begins a new line, and Ctrl Enter (⌘ Enter) sends. */
  enterIsNewLine?: boolean | undefined
  /** Whether files can be attached; a string sets the types that the file dialog offers, such as `image/*`. */
  attachments?: boolean | string | undefined
  attachmentLimits?: AttachmentLimits | undefined
  placeholder?: string | undefined
  /** Shown below the text, after the button for files: for example, a choice that applies to each message. */
  tools?: ReactNode
}

export interface ComposerProps extends ComposerOptions {
  field?: RefObject<HTMLTextAreaElement | null>
  /** Called on Shift Tab. */
  onLeave?: (() => void) | undefined
}

/** The field for messages. During a run it queues them; while calls ask, it denies them with the text. */
export function Composer(props: ComposerProps): ReactNode {
  const { enterIsNewLine = false, attachments = true, onLeave } = props
  const { box } = useLocale()
  const store = useChatStore()
  const own = useRef<HTMLTextAreaElement>(null)
  const field = props.field ?? own
  const text = useValue(store.draft)
  const isRunning = useValue(store.status) !== 'ready'
  const pending = usePendingCalls()
  const composition = useComposition()
  const draft = useAttachments(field, attachments !== false, props.attachmentLimits)
  const { files } = draft
  const escapes = useEscapes(isRunning)
  useEditFocus(field)
  const isEmpty = text.trim() === '' && files.length === 0
  const isEditing = useValue(store.editing) !== undefined
  const isTextOnly = files.length === 0 && !isEditing
  const denies = pending.some(({ kind }) => kind === 'approval') && isTextOnly
  const answers = pending.length > 0 && !denies && isTextOnly
  const approvalCount = pending.filter(({ kind }) => kind === 'approval').length
  const hintId = useId()

  const canSteer = isRunning && store.canSteer && !isEditing && !denies && !answers

  const submit = (mode?: 'steer'): void => {
    if (isEmpty) return
    // Sending an edit restores the draft from before it.
    store.draft.set('')
    store.submit({ text, attachments: files.length === 0 ? undefined : files }, mode)
    draft.clear()
  }

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (composition.isOn(event)) return
    const { key, shiftKey, ctrlKey, metaKey, altKey } = event
    const isPlain = !ctrlKey && !metaKey && !altKey
    if (key === 'Enter' && (!altKey || canSteer) && sends(event, enterIsNewLine)) {
      event.preventDefault()
      submit(altKey ? 'steer' : undefined)
    } else if (key === 'Escape' && isPlain && isEditing) {
      store.cancelEdit()
    } else if (key === 'Escape' && isPlain && isEmpty && isRunning) {
      if (escapes.press()) store.stop()
    } else if (key === 'ArrowUp' && isPlain && !shiftKey && isEmpty) {
      const last = store.conversation.messages().findLast(({ role }) => role === 'user')
      if (last === undefined || isRunning) return
      event.preventDefault()
      store.edit(last.id)
    } else if (key === 'Tab' && shiftKey && onLeave !== undefined) {
      event.preventDefault()
      onLeave()
    }
  }

  const hint = denies
    ? box.placeholderDenies
    : answers
      ? box.placeholderAnswers
      : isRunning
        ? box.placeholderRunning
        : (props.placeholder ?? box.placeholder)
  const key = box.sendKey(enterIsNewLine)
  const queues = isRunning && !isEditing && !answers
  const action = denies ? box.deny : isRunning && !isEditing ? box.queue : box.send
  const words = canSteer ? box.hintSteers(key) : queues ? box.hintQueues(key) : ''
  return (
    <form
      className="argot-composer"
      data-part="composer"
      aria-label={box.composer}
      data-drop={draft.isDragged || undefined}
      onSubmit={event => {
        event.preventDefault()
        submit()
      }}
    >
      <ShownAttachments draft={draft} />
      <div className="argot-grows" data-text={`${text}\n`}>
        <textarea
          ref={field}
          rows={1}
          value={text}
          dir="auto"
          aria-label={box.composer}
          aria-describedby={hintId}
          placeholder={hint}
          onChange={event => store.draft.set(event.target.value)}
          onKeyDown={onKeyDown}
          onCompositionStart={composition.start}
          onCompositionEnd={composition.end}
          onPaste={event => {
            const pasted = [...event.clipboardData.files]
            if (attachments === false || pasted.length === 0) return
            event.preventDefault()
            draft.add(pasted)
          }}
        />
      </div>
      <div className="argot-composer-foot">
        {attachments !== false && (
          <AttachButton draft={draft} accept={typeof attachments === 'string' ? attachments : undefined} />
        )}
        {props.tools}
        <span id={hintId} className="argot-push argot-hint" data-part="hint" data-now={escapes.isOn ? '' : undefined}>
          {escapes.isOn ? box.escapeAgain : denies ? box.hintDenies(key, approvalCount) : words}
        </span>
        {canSteer && !isEmpty && (
          <button type="button" className="argot-link" onClick={() => submit('steer')}>
            {box.steer}
          </button>
        )}
        <SendButton action={action} isEmpty={isEmpty} isRunning={isRunning} hasWords={denies} />
      </div>
    </form>
  )
}

interface SendButtonProps {
  action: string
  isEmpty: boolean
  isRunning: boolean
  /** It does something unusual for a send button, so its label shows as soon as there is something to send. */
  hasWords: boolean
}

/** Sends, queues or denies. During a run and without text, it stops the run. */
function SendButton({ action, isEmpty, isRunning, hasWords }: SendButtonProps): ReactNode {
  const { box } = useLocale()
  const store = useChatStore()
  if (isRunning && isEmpty) {
    return (
      <button type="button" className="argot-round" data-part="send" aria-label={box.stop} onClick={() => store.stop()}>
        <svg className="argot-glyph" viewBox="0 0 16 16" aria-hidden="true">
          <rect className="argot-glyph-solid" x="4" y="4" width="8" height="8" rx="1.5" />
        </svg>
      </button>
    )
  }
  const words = hasWords && !isEmpty ? action : undefined
  return (
    <button
      type="submit"
      className="argot-round"
      data-part="send"
      data-words={words && ''}
      aria-label={action}
      aria-disabled={isEmpty}
    >
      {words}
      <svg className="argot-glyph" viewBox="0 0 16 16" aria-hidden="true">
        <path d="M8 13V3M4 7l4-4 4 4" />
      </svg>
    </button>
  )
}

/** Most messages have no files. */
function ShownAttachments({ draft }: { draft: DraftFiles }): ReactNode {
  const { files, problem, isDragged } = draft
  const isShown = files.length > 0 || problem !== undefined || isDragged
  return isShown ? <FromChunk chunk={attachedFiles} props={{ draft }} /> : null
}

const attachedFiles = new ComponentChunk<{ draft: DraftFiles }>(() => import('../attached-files.tsx'))

function useEditFocus(field: RefObject<HTMLTextAreaElement | null>): void {
  const { editing } = useChatStore()
  useEffect(
    () =>
      editing.subscribe(() => {
        if (editing.get() !== undefined) field.current?.focus()
      }),
    [editing, field],
  )
}

function sends({ shiftKey, ctrlKey, metaKey }: KeyboardEvent, enterIsNewLine: boolean): boolean {
  return !shiftKey && (!enterIsNewLine || ctrlKey || metaKey)
}

/** `press` returns true the second time. */
function useEscapes(isRunning: boolean): { isOn: boolean; press: () => boolean } {
  const [isOn, setOn] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => {
    if (!isRunning) setOn(false)
    return () => clearTimeout(timer.current)
  }, [isRunning])
  const press = (): boolean => {
    clearTimeout(timer.current)
    if (isOn) {
      setOn(false)
      return true
    }
    setOn(true)
    timer.current = setTimeout(() => setOn(false), ESCAPE_MS)
    return false
  }
  return { isOn, press }
}
