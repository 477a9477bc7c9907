import { type EditPart, visibleLine } from '@argot/core/stream/internal'
import type { ReactNode } from 'react'
import { BodyStateScope } from '../../bodies/body-state.tsx'
import { Diff } from '../../bodies/diff/diff.tsx'
import type { PartLocale } from '../../locale/chat-locale.ts'
import { usePartLocale } from '../../locale/part-locale.ts'
import type { EditChoice } from './edit-choice.ts'

export interface PartListProps {
  choice: EditChoice
  isFixed: boolean
  lines: number
  onWhole: (isWhole: boolean) => void
}

export function PartList({ choice, isFixed, lines, onWhole }: PartListProps): ReactNode {
  const locale = usePartLocale()
  const { approval } = locale
  const { parts, leftOut, leave } = choice
  const isOneFile = new Set(parts.map(({ path }) => path)).size === 1
  return parts.map((part, index) => {
    const isOut = leftOut.has(index)
    const place = describePlace(part, locale)
    const [name, meta] = isOneFile && place !== undefined ? [place] : [part.path, place]
    const partLabel = [visibleLine(part.path), place].filter(text => text !== undefined).join(', ')
    const act = (label: string, isChosen: boolean, isLeftOut: boolean): ReactNode => (
      <button
        type="button"
        className="argot-button"
        data-size="small"
        data-kind={isChosen ? 'primary' : undefined}
        aria-pressed={isChosen}
        disabled={isFixed}
        onClick={() => leave(index, isLeftOut)}
      >
        {label}
      </button>
    )
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one question never move
      <BodyStateScope key={index} name={`part ${index}`}>
        <div className="argot-part" data-out={isOut ? '' : undefined}>
          <Diff
            name={name}
            place={meta}
            diff={part.diff}
            isJudged
            lines={lines}
            onWhole={onWhole}
            choice={
              // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be inside a line
              <span className="argot-choice" role="group" aria-label={partLabel}>
                {act(approval.keep, !isOut, false)}
                {act(approval.leaveOut, isOut, true)}
              </span>
            }
          />
        </div>
      </BodyStateScope>
    )
  })
}

/** "line 41", or what happens to a file that is not just changed. */
function describePlace({ operation, from, line }: EditPart, { approval, body }: PartLocale): string | undefined {
  if (operation === 'update') return line === undefined ? undefined : body.line(line)
  return approval.fileChange(operation, visibleLine(from ?? ''))
}
