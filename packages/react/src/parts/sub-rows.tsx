import { isSettled } from '@argot/core/stream'
import { type ComponentType, type Context, type ReactNode, useContext } from 'react'
import type { DefaultExpanded } from '../types/index.ts'
import type { SubRun } from './sub-run.ts'

/** What draws a call: the card, given by the card itself, so that this file is a chunk of its own. */
type Card = ComponentType<
  ({ callKey: string } | { part: object; message: { status: string } | undefined }) & {
    isTurning?: boolean
    defaultExpanded?: DefaultExpanded
  }
>

export interface SubRowsProps {
  sub: SubRun | undefined
  isTurning: boolean
  /** In place of all calls: those with these keys that are not among the calls of `sub`. */
  questions?: readonly string[]
  Card: Card
  /** Whether a card is among the rows of a sub-agent. */
  Nest: Context<boolean>
}

/** The calls of a sub-agent, below its own row; or those that wait for the person, however deep they are. */
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
  const drawn = new Set(sub?.calls.map(call => `${sub.key}/${call.key}`))
  const left = questions.filter(key => !drawn.has(key))
  if (isNested || left.length === 0) return null
  return (
    <div className="argot-questions">
      {left.map(key => (
        <Card key={key} callKey={key} />
      ))}
    </div>
  )
}

/** The calls of a run inside a call, in their order: in a chat by their keys, so that what is open is kept. */
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
/** The rows of a sub-agent stay closed until somebody opens them; one that asks is open. */
const closed: DefaultExpanded = {
  '*': owner => (owner.section === undefined && owner.state !== 'approval-requested' ? false : undefined),
}
