import { Fragment, type ReactNode } from 'react'
import type { StripCall } from './strip-call.ts'
import { type StripSegment, stripStretches } from './strip-layout.ts'
import { runTimes, type Waits } from './waits.ts'

// It imports nothing that a chat has already loaded: sharing would split the chat into too many chunks.

export interface TimeStripProps {
  calls: readonly StripCall[]
  waits: Waits
  begin: number
  end: number
  /** Replaces the strip by the two clocks in words: how long it worked and waited. */
  say?: ((worked: number, waited: number) => string) | undefined
  /** A notch's text: "you · 2 min". */
  notch: (milliseconds: number) => string
  onSelect?: ((key: string) => void) | undefined
}

/** With more notches than this, they have no text: the line before them has the total. */
const FEW_NOTCHES = 2

/**
 * How the time was spent: a segment for each call, gaps for the model, a notch for each wait for a person. It is hidden
 * from assistive technology: the words say the same.
 */
export default function TimeStrip(props: TimeStripProps): ReactNode {
  const { calls, waits, say, notch, onSelect } = props
  const times = runTimes(calls, waits, props.begin, props.end)
  if (say !== undefined) return say(times.worked, times.waited)
  const hasWords = times.waits.length <= FEW_NOTCHES
  return stripStretches(calls, times).map(({ share, segments, wait }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: stretches have no names, and keep their order
    <Fragment key={index}>
      <svg className="argot-stretch" height="10" aria-hidden="true" style={{ flexGrow: share }}>
        <line className="argot-strip-base" x1="0" x2="100%" y1="5" y2="5" />
        {segments.map(segment => (
          <Segment key={segment.key} segment={segment} onSelect={onSelect} />
        ))}
      </svg>
      {wait !== undefined && (
        <span className="argot-notch" data-part="wait" title={notch(wait)}>
          {hasWords && notch(wait < 60_000 ? wait : wait - (wait % 60_000))}
        </span>
      )}
    </Fragment>
  ))
}

interface SegmentProps {
  segment: StripSegment
  onSelect: TimeStripProps['onSelect']
}

function Segment({ segment: { key, name, start, width, lane, tone }, onSelect }: SegmentProps): ReactNode {
  const y = lane === undefined ? 3 : lane * 6
  const title = <title>{name}</title>
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
      {/* Segments too short to see are 2 px wide, even at the very end: the second of the two is drawn below. */}
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
