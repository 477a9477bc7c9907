import { isRecord } from '@argot/core/stream/internal'
import { Fragment, type KeyboardEvent, type ReactNode, useEffect, useSyncExternalStore } from 'react'
import { CopyButton } from '../../bodies/copy-button.tsx'
import { useChatStore } from '../../hooks/chat-context.ts'
import { usePendingIn } from '../../hooks/use-chat.ts'
import { useMessageHead } from '../../hooks/use-message.ts'
import { useValue } from '../../hooks/use-value.ts'
import { useLocale } from '../../locale/frame-locale.ts'
import type { Answers } from '../../store/run/answers.ts'
import type { AnswerAction } from './answer-action.ts'
import { answerText } from './answer-text.ts'
import { TryAgain } from './try-again.tsx'

export interface ActionBarProps {
  messageId: string
  actions: readonly AnswerAction[]
}

/** The actions on an answer, as a toolbar: Tab and the arrow keys go through it. */
export default function ActionBar({ messageId, actions }: ActionBarProps): ReactNode {
  const { box } = useLocale()
  const store = useChatStore()
  const answers = useValue(store.answers)
  const isWaiting = usePendingIn(messageId).length > 0
  useEffect(() => {
    if (answers === undefined) store.loadAnswers()
  }, [store, answers])
  if (answers === undefined || isWaiting) return null
  return (
    <LoadedBar answers={answers}>
      <div className="argot-actions" role="toolbar" aria-label={box.actions} data-part="actions" onKeyDown={onArrow}>
        {actions.map(action => (
          <Fragment key={typeof action === 'string' ? action : action.name}>
            <Action action={action} messageId={messageId} answers={answers} />
          </Fragment>
        ))}
      </div>
    </LoadedBar>
  )
}

/** Waits for the list of branches, so that no button moves when it comes. */
function LoadedBar({ answers, children }: { answers: Answers; children: ReactNode }): ReactNode {
  const isLoaded = useSyncExternalStore(answers.subscribe, () => answers.isLoaded)
  return isLoaded ? children : null
}

interface ActionProps {
  messageId: string
  answers: Answers
}

function Action({ action, ...props }: ActionProps & { action: AnswerAction }): ReactNode {
  const store = useChatStore()
  const message = () => store.conversation.record(props.messageId)?.message()
  switch (action) {
    case 'copy':
      return <Copy {...props} />
    case 'retry':
      return <TryAgain {...props} />
    case 'branches':
      return <Branches {...props} />
    case 'feedback':
      return props.answers.canGiveFeedback ? <Feedback {...props} /> : null
    case 'info':
      return <Info {...props} />
    default:
      return (
        <button
          type="button"
          className="argot-link"
          onClick={() => {
            const current = message()
            if (current !== undefined) store.callPage(() => action.onPress(current))
          }}
        >
          {action.label}
        </button>
      )
  }
}

function Copy({ messageId }: ActionProps): ReactNode {
  const { box, card } = useLocale()
  const { conversation } = useChatStore()
  const message = conversation.record(messageId)?.message()
  if (message === undefined || answerText(message) === '') return null
  return (
    <CopyButton name={box.answer} value={() => answerText(conversation.record(messageId)?.message() ?? message)}>
      {card.copy}
    </CopyButton>
  )
}

function Branches({ messageId, answers }: ActionProps): ReactNode {
  const { box } = useLocale()
  const store = useChatStore()
  const isRunning = useValue(store.status) !== 'ready'
  const place = useSyncExternalStore(answers.subscribe, () => answers.place(messageId))
  if (place === undefined) return null
  const [at, count] = place.split('/').map(Number) as [number, number]
  // What only this page has can't change while an answer is written.
  const isHeld = isRunning && store.adapter.branch === undefined
  // A disabled button would drop the focus at either end.
  const step = (by: 1 | -1, isEnd: boolean): ReactNode => (
    <button
      type="button"
      className="argot-link"
      aria-label={by < 0 ? box.previousAnswer : box.nextAnswer}
      aria-disabled={isEnd || isHeld}
      onClick={() => {
        if (!isEnd && !isHeld) void answers.go(messageId, by)
      }}
    >
      <svg className="argot-glyph" viewBox="0 0 16 16" aria-hidden="true">
        <path d={by < 0 ? 'M9.5 4.5L6 8l3.5 3.5' : 'M6.5 4.5L10 8l-3.5 3.5'} />
      </svg>
    </button>
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: not the fields of a form
    <span className="argot-branches" role="group" aria-label={box.answerPlace(at, count)}>
      {step(-1, at <= 1)}
      <span aria-hidden="true">{`${at}/${count}`}</span>
      {step(1, at >= count)}
    </span>
  )
}

function Feedback({ messageId, answers }: ActionProps): ReactNode {
  const { box } = useLocale()
  const value = useSyncExternalStore(answers.subscribe, () => answers.feedback(messageId))
  const button = (own: 'good' | 'bad'): ReactNode => (
    <button
      type="button"
      className="argot-link"
      aria-pressed={value === own}
      onClick={() => void answers.giveFeedback(messageId, value === own ? 'none' : own)}
    >
      {own === 'good' ? box.good : box.bad}
    </button>
  )
  return (
    <>
      {button('good')}
      {button('bad')}
    </>
  )
}

function Info({ messageId }: ActionProps): ReactNode {
  const { box } = useLocale()
  const { createdAt, metadata } = useMessageHead(messageId) ?? {}
  const time = createdAt === undefined ? Number.NaN : Date.parse(createdAt)
  const tokens = isRecord(metadata?.usage) ? metadata.usage.totalTokens : undefined
  const count = typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0 ? box.tokens(tokens) : ''
  if (Number.isNaN(time) && count === '') return null
  return (
    <span className="argot-info">
      {!Number.isNaN(time) && (
        <time dateTime={createdAt} title={new Date(time).toLocaleString()}>
          {box.timeOfDay(time)}
        </time>
      )}
      {!Number.isNaN(time) && count !== '' && ' · '}
      {count}
    </span>
  )
}

/** The arrow keys go from button to button, in the direction of the page. */
function onArrow(event: KeyboardEvent<HTMLElement>): void {
  const target = event.target as HTMLElement
  if (target.closest('[role="menu"]') !== null) return
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('button:not([role="menuitem"])')]
  const isRight = getComputedStyle(event.currentTarget).direction !== 'rtl'
  const steps: Record<string, number> = { ArrowRight: isRight ? 1 : -1, ArrowLeft: isRight ? -1 : 1 }
  const at = all.indexOf(target)
  const next = event.key === 'Home' ? 0 : event.key === 'End' ? all.length - 1 : at + (steps[event.key] ?? Number.NaN)
  if (at < 0 || Number.isNaN(next)) return
  event.preventDefault()
  all[(next + all.length) % all.length]?.focus()
}
