import { describeCall, isSettled, type ToolInvocation } from 'argot'
import { type ReactNode, useId, useMemo, useState } from 'react'
import { usePartLocale } from '../locale/locale-context.ts'
import { callGroups } from './call-groups.ts'
import { ToolRow } from './tool-row.tsx'

export interface CallListProps {
  calls: readonly ToolInvocation[]
  /** Draws a call. `isTurning`: it may be the one moving thing of its turn. */
  renderCall: (call: ToolInvocation, isTurning: boolean) => ReactNode
  /** Only the newest turn has something that moves. */
  isNewest?: boolean | undefined
}

/** Consecutive calls of a turn: parallel ones in a bracket, many reads as one row. */
export function CallList({ calls, renderCall, isNewest = true }: CallListProps): ReactNode {
  const { card } = usePartLocale()
  const groups = useMemo(() => callGroups(calls), [calls])
  const newest = isNewest ? calls.findLast(call => !isSettled(call))?.key : undefined
  const draw = (call: ToolInvocation) => renderCall(call, call.key === newest)
  return (
    <div className="argot-calls">
      {groups.map(group => {
        const { key } = group.calls[0]!
        if (group.kind === 'reads') return <ReadGroup key={key} calls={group.calls} renderCall={draw} />
        if (group.kind === 'single') return draw(group.calls[0])
        return (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls
          <div key={key} className="argot-group" role="group" aria-label={card.inParallel(group.calls.length)}>
            {group.calls.map(draw)}
          </div>
        )
      })}
    </div>
  )
}

interface ReadGroupProps {
  calls: readonly ToolInvocation[]
  renderCall: (call: ToolInvocation) => ReactNode
}

/** "Read 12 files", with the last one named. Opened, it shows each. */
function ReadGroup({ calls, renderCall }: ReadGroupProps): ReactNode {
  const { card, call: words } = usePartLocale()
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const last = describeCall(calls.at(-1)!, { locale: words })
  const verb = card.readFiles(calls.length)
  const milliseconds = calls.reduce((sum, call) => sum + (describeCall(call).milliseconds ?? 0), 0)
  const sentence = [verb, last.subject, words.states.done].filter(text => text !== undefined).join(', ')
  return (
    <div className="argot argot-call" data-stage="done" data-open={isOpen ? '' : undefined}>
      <ToolRow
        description={{
          state: 'done',
          verb,
          isName: false,
          ...(last.subject === undefined ? {} : { subject: last.subject }),
          duration: words.duration(milliseconds),
          milliseconds,
          sentence,
        }}
        isOpen={isOpen}
        onToggle={setOpen}
        controls={id}
      />
      {isOpen && (
        <div id={id} className="argot-body">
          <div className="argot-nest">{calls.map(renderCall)}</div>
        </div>
      )}
    </div>
  )
}
