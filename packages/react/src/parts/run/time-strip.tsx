import type { ToolInvocation } from '@argot/core'
import { type ComponentType, memo, type ReactNode } from 'react'
import { type StripSegment, stripLayout } from './strip-layout.ts'

export interface TimeStripProps {
  calls: readonly ToolInvocation[]
  begin: number
  end: number
  /** What a segment says when it is pointed at: the call in words. */
  nameOf?: ((key: string) => string) | undefined
  /** Goes to the call. */
  onSelect?: ((key: string) => void) | undefined
  /** The keys of the calls that ask and that nobody waits for. */
  answered?: ReadonlySet<string> | undefined
  /** Nothing is heard of what runs: it is drawn as over. */
  isStill?: boolean | undefined
}

/** Where the time went: a segment for each call, gaps for the model. Decoration for assistive technology: the words carry it. */
export const TimeStrip: ComponentType<TimeStripProps> = memo(function TimeStrip({
  calls,
  begin,
  end,
  nameOf,
  onSelect,
  answered,
  isStill = false,
}: TimeStripProps): ReactNode {
  return (
    <svg className="argot-strip" height="10" aria-hidden="true">
      <line className="argot-strip-base" x1="0" x2="100%" y1="5" y2="5" />
      {stripLayout(calls, begin, end, answered).map(segment => (
        <Segment
          key={segment.key}
          segment={isStill && segment.tone === 'live' ? { ...segment, tone: 'done' } : segment}
          name={nameOf?.(segment.key)}
          onSelect={onSelect}
        />
      ))}
    </svg>
  )
})

interface SegmentProps {
  segment: StripSegment
  name: string | undefined
  onSelect: TimeStripProps['onSelect']
}

function Segment({ segment: { key, start, width, lane, tone }, name, onSelect }: SegmentProps): ReactNode {
  const y = lane === undefined ? 3 : lane * 6
  const title = name === undefined ? null : <title>{name}</title>
  const select =
    onSelect &&
    ((event: { stopPropagation: () => void }) => {
      event.stopPropagation()
      onSelect(key)
    })
  if (tone === 'wait') {
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: for the pointer only; the rows below are for everybody
      <line
        data-link={select === undefined ? undefined : ''}
        className="argot-segment-wait"
        x1={`${start}%`}
        x2={`${start + width}%`}
        y1={y + 2}
        y2={y + 2}
        onClick={select}
      >
        {title}
      </line>
    )
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: for the pointer only; the rows below are for everybody
    <g data-link={select === undefined ? undefined : ''} onClick={select}>
      {title}
      {/* What is too short to be seen is 2 px wide, also at the very end: the second of the two is drawn below it. */}
      <rect
        className="argot-segment"
        data-tone={tone}
        x={`${start}%`}
        y={y}
        width="2"
        height="4"
        rx="1"
        transform={start > 98 ? 'translate(-2 0)' : undefined}
      />
      <rect className="argot-segment" data-tone={tone} x={`${start}%`} y={y} width={`${width}%`} height="4" rx="1" />
    </g>
  )
}
