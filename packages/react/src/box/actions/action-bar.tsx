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
import { BranchSteps } from './branch-steps.tsx'
import { TryAgain } from './try-again.tsx'

export interface ActionBarProps {
  messageId: string
  actions: readonly AnswerAction[]
}

/** The actions on an answer, as a toolbar: Tab and the arrow keys move through it. */
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

/** Waits for the list of branches, so that no button moves when it arrives. */
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
      return <BranchSteps {...props} />
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

/** The arrow keys move from button to button, in the page's direction. */
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
