import type { ToolInvocation } from '@argot/core'
import { isSettled } from '@argot/core/stream'
import { type ReactNode, useId, useMemo, useState } from 'react'
import { describeCall } from '../../hooks/words.ts'
import { useCardLocale } from '../../locale/card-locale.ts'
import { ToolRow } from '../tool-row.tsx'
import { callGroups } from './call-groups.ts'

export interface CallListProps {
  calls: readonly ToolInvocation[]
  /** Draws a call. `isTurning`: it may be the only moving thing in its turn. */
  renderCall: (call: ToolInvocation, isTurning: boolean) => ReactNode
  /** Only the newest turn has something that moves. */
  isNewest?: boolean | undefined
  /**
   * Shows many reads as one row; true by default. Turn it off for live calls: rows would collapse while users watch.
   */
  groupsReads?: boolean | undefined
  /** Each call's step, if known: calls of one step share a bracket. Otherwise their times decide. */
  steps?: readonly number[] | undefined
  /** Controlled: whether the row for several calls is open. */
  isGroupOpen?: ((calls: readonly ToolInvocation[]) => boolean) | undefined
  onGroupToggle?: ((calls: readonly ToolInvocation[], open: boolean) => void) | undefined
}

/** A turn's consecutive calls: parallel ones in a bracket, many reads as one row. */
export function CallList(props: CallListProps): ReactNode {
  const { calls, renderCall, isNewest = true, groupsReads = true, steps, isGroupOpen, onGroupToggle } = props
  const { card } = useCardLocale()
  const groups = useMemo(() => callGroups(calls, groupsReads, steps), [calls, groupsReads, steps])
  const newest = isNewest ? calls.findLast(call => !isSettled(call))?.key : undefined
  const draw = (call: ToolInvocation) => renderCall(call, call.key === newest)
  return (
    <div className="argot-calls" data-part="calls">
      {groups.map(group => {
        const { key } = group.calls[0]!
        if (group.kind === 'reads') {
          return (
            <ReadGroup
              key={key}
              calls={group.calls}
              renderCall={draw}
              isOpen={isGroupOpen?.(group.calls)}
              onToggle={open => onGroupToggle?.(group.calls, open)}
            />
          )
        }
        // The same element wraps one call and several: a call that others join stays mounted, with its focus.
        const isGroup = group.kind === 'parallel'
        return (
          // biome-ignore lint/a11y/useAriaPropsSupportedByRole: it has the role wherever it has the name
          <div
            key={key}
            className={isGroup ? 'argot-group' : 'argot-alone'}
            role={isGroup ? 'group' : undefined}
            aria-label={isGroup ? card.inParallel(group.calls.length) : undefined}
          >
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
  isOpen: boolean | undefined
  onToggle: (open: boolean) => void
}

/** "Read 12 files", with the last one named. Opened, it shows each of them. */
function ReadGroup({ calls, renderCall, isOpen: controlledOpen, onToggle }: ReadGroupProps): ReactNode {
  const { card, call: words } = useCardLocale()
  const [own, setOwn] = useState(false)
  const isOpen = controlledOpen ?? own
  const id = useId()
  const last = describeCall(calls.at(-1)!, { locale: words })
  const verb = card.readFiles(calls.length)
  const milliseconds = calls.reduce((sum, call) => sum + (describeCall(call).milliseconds ?? 0), 0)
  const sentence = [verb, last.subject, words.states.done].filter(text => text !== undefined).join(', ')
  return (
    <div className="argot argot-call" data-part="card" data-stage="done" data-open={isOpen ? '' : undefined}>
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
        onToggle={open => {
          setOwn(open)
          onToggle(open)
        }}
        controls={id}
      />
      {isOpen && (
        <div id={id} className="argot-body" data-part="body">
          <div className="argot-nest" data-part="nested-calls">
            {calls.map(renderCall)}
          </div>
        </div>
      )}
    </div>
  )
}
