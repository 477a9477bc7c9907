import type { CallStage } from '@argot/core/stream/internal'
import type { ReactNode } from 'react'

export interface GlyphProps {
  stage: CallStage
  /** A call that runs its own agent has a dot in its ring. */
  isAgent?: boolean | undefined
  /** It is the only moving thing in its turn. */
  isTurning?: boolean | undefined
  /** It no longer needs attention. */
  isQuiet?: boolean | undefined
}

const tones: Readonly<Record<CallStage, string | undefined>> = {
  writing: 'live',
  queued: undefined,
  running: 'live',
  asking: 'wait',
  approved: undefined,
  done: undefined,
  failed: 'fail',
  denied: 'ink-2',
  stopped: 'ink-2',
  interrupted: 'ink-2',
  broken: 'fail',
}

/** A call's state as a 16 px icon. The words next to it say the same. */
export function Glyph({ stage, isAgent = false, isTurning = false, isQuiet = false }: GlyphProps): ReactNode {
  const isLive = stage === 'writing' || stage === 'running'
  return (
    <svg
      className="argot-glyph"
      data-part="icon"
      viewBox="0 0 16 16"
      aria-hidden="true"
      data-tone={isQuiet ? undefined : tones[stage]}
      data-turning={isLive && isTurning ? '' : undefined}
    >
      {shapes[stage]}
      {stage === 'running' && isAgent && <circle className="argot-glyph-solid" cx="8" cy="8" r="1.75" />}
    </svg>
  )
}

const ring = <circle className="argot-glyph-faint" cx="8" cy="8" r="5.25" />
const check = <path d="M3.5 8.4l3 3 6-6.8" />
const cross = <path d="M4.25 4.25l7.5 7.5M11.75 4.25l-7.5 7.5" />
const hollow = <circle cx="8" cy="8" r="4.5" />
const square = <rect x="3.75" y="3.75" width="8.5" height="8.5" rx="1.5" />

const shapes: Readonly<Record<CallStage, ReactNode>> = {
  writing: (
    <>
      {ring}
      <path d="M8 2.75A5.25 5.25 0 0 1 13.25 8" />
    </>
  ),
  running: (
    <>
      {ring}
      <path d="M8 2.75A5.25 5.25 0 1 1 2.75 8" />
    </>
  ),
  queued: hollow,
  approved: hollow,
  asking: <circle className="argot-glyph-solid" cx="8" cy="8" r="4" />,
  done: check,
  failed: cross,
  broken: cross,
  denied: (
    <>
      <circle cx="8" cy="8" r="5.25" />
      <path d="M4.4 11.6l7.2-7.2" />
    </>
  ),
  stopped: square,
  interrupted: square,
}

/** Points sideways when closed, and down when open. */
export function Chevron(): ReactNode {
  return (
    <svg className="argot-glyph argot-chevron" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M6.25 4l4 4-4 4" />
    </svg>
  )
}
