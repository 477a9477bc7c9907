import { type ReactNode, useEffect, useSyncExternalStore } from 'react'
import { useChatStore } from '../../hooks/chat-context.ts'
import { useValue } from '../../hooks/use-value.ts'
import { useLocale } from '../../locale/frame-locale.ts'
import type { Answers } from '../../store/run/answers.ts'

export interface BranchStepsProps {
  messageId: string
  answers: Answers
}

/** The way between the branches that begin with a message. */
export function BranchSteps({ messageId, answers }: BranchStepsProps): ReactNode {
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
      aria-label={by < 0 ? box.previousBranch : box.nextBranch}
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
    <span className="argot-branches" role="group" aria-label={box.branchPlace(at, count)}>
      {step(-1, at <= 1)}
      <span aria-hidden="true">{`${at}/${count}`}</span>
      {step(1, at >= count)}
    </span>
  )
}

/** The same beside a message of the user. */
export default function UserBranches({ messageId }: Pick<BranchStepsProps, 'messageId'>): ReactNode {
  const store = useChatStore()
  const answers = useValue(store.answers)
  useEffect(() => {
    if (answers === undefined) store.loadAnswers()
  }, [store, answers])
  return answers === undefined ? null : <BranchSteps messageId={messageId} answers={answers} />
}
