import { isSettled } from '@argot/core/stream'
import { type ComponentType, type Context, type ReactNode, useContext } from 'react'
import type { DefaultExpanded } from '../types/index.ts'
import type { SubRun } from './sub-run.ts'

/** The component that draws a call: the card passes itself, so that this file can be a separate chunk. */
type Card = ComponentType<
  ({ callKey: string } | { part: object; message: { status: string } | undefined }) & {
    isTurning?: boolean
    defaultExpanded?: DefaultExpanded
  }
>

export interface SubRowsProps {
  sub: SubRun | undefined
  isTurning: boolean
  /** Replaces all calls: shows those with these keys that are not among the calls of `sub`. */
  questions?: readonly string[]
  Card: Card
  Nest: Context<boolean>
}

/** A sub-agent's calls, below its own row; or those that wait for the person, at any depth. */
export default function SubRows({ sub, isTurning, questions, Card, Nest }: SubRowsProps): ReactNode {
  const isNested = useContext(Nest)
  if (questions === undefined) {
    return (
      <Nest value={true}>
        <div className="argot-nest" data-part="nested-calls">
          {sub && <SubCalls sub={sub} isTurning={isTurning} Card={Card} />}
        </div>
      </Nest>
    )
  }
  const visibleKeys = new Set(sub?.calls.map(call => `${sub.key}/${call.key}`))
  const hiddenQuestions = questions.filter(key => !visibleKeys.has(key))
  if (isNested || hiddenQuestions.length === 0) return null
  return (
    <div className="argot-questions">
      {hiddenQuestions.map(key => (
        <Card key={key} callKey={key} />
      ))}
    </div>
  )
}

/** The calls of a run inside a call, in order. In a chat they are found by key, so that open rows stay open. */
export function SubCalls({
  sub,
  isTurning,
  Card,
}: Pick<SubRowsProps, 'isTurning' | 'Card'> & { sub: SubRun }): ReactNode {
  return sub.calls.map((call, index) => {
    const look = { isTurning: isTurning && index === sub.calls.length - 1, defaultExpanded: closed }
    if (sub.key !== undefined) return <Card key={call.key} callKey={`${sub.key}/${call.key}`} {...look} />
    const message = isSettled(call) ? undefined : streaming
    return <Card key={call.key} part={{ type: 'dynamic-tool', toolInvocation: call }} message={message} {...look} />
  })
}

const streaming = { status: 'streaming' }
/** A sub-agent's rows stay closed until the reader opens them; one that asks is open. */
const closed: DefaultExpanded = {
  '*': owner => (owner.section === undefined && owner.state !== 'approval-requested' ? false : undefined),
}
