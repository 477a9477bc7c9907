import { type ReactNode, useEffect, useSyncExternalStore } from 'react'
import { useChatStore } from '../../hooks/chat-context.ts'
import { useValue } from '../../hooks/use-value.ts'
import { BranchPicker } from '../../parts/branch-picker.tsx'
import type { Answers } from '../../store/run/answers.ts'

export interface BranchStepsProps {
  messageId: string
  answers: Answers
}

export function BranchSteps({ messageId, answers }: BranchStepsProps): ReactNode {
  const place = useSyncExternalStore(answers.subscribe, () => answers.place(messageId))
  if (place === undefined) return null
  const [at, count] = place.split('/').map(Number) as [number, number]
  return <BranchPicker index={at - 1} count={count} onChange={index => void answers.go(messageId, index + 1 - at)} />
}

export default function UserBranches({ messageId }: Pick<BranchStepsProps, 'messageId'>): ReactNode {
  const store = useChatStore()
  const answers = useValue(store.answers)
  useEffect(() => {
    if (answers === undefined) store.loadAnswers()
  }, [store, answers])
  return answers === undefined ? null : <BranchSteps messageId={messageId} answers={answers} />
}
