import type { ReactNode } from 'react'
import { useLocale } from '../locale/frame-locale.ts'
import { Chevron } from './glyph.tsx'

export interface BranchPickerProps {
  /** The open branch, counted from 0. */
  index: number
  count: number
  onChange: (index: number) => void
}

/** "‹ 2/3 ›": moves between an answer's branches. Renders nothing while there is only one. */
export function BranchPicker({ index, count, onChange }: BranchPickerProps): ReactNode {
  const { box } = useLocale()
  if (count < 2) return null
  const step = (name: string, to: number): ReactNode => {
    const isPossible = to >= 0 && to < count
    // It stays focusable at the ends: the focus must not fall to the page after the last press.
    return (
      <button
        type="button"
        className="argot-link argot-branch-step"
        aria-label={name}
        aria-disabled={!isPossible}
        onClick={() => isPossible && onChange(to)}
      >
        <Chevron />
      </button>
    )
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a legend and a frame
    <span className="argot argot-branches" role="group" aria-label={box.branch(index + 1, count)}>
      {step(box.previousBranch, index - 1)}
      <span className="argot-branch-place" aria-live="polite">
        <span aria-hidden="true">{box.branchPlace(index + 1, count)}</span>
        <span className="argot-hidden">{box.branch(index + 1, count)}</span>
      </span>
      {step(box.nextBranch, index + 1)}
    </span>
  )
}
