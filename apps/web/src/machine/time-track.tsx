import { visibleLine } from '@argot/core/stream/internal'
import type { ReplayPlayer } from '@argot/react'
import { memo, type ReactNode, useMemo } from 'react'
import { useWords } from '../locale/words.ts'
import type { CallSpan } from './call-spans.ts'
import { createScale } from './create-scale.ts'
import type { TrackScale } from './track-scale.ts'

/** Overlapping strokes are drawn once. */
const RESOLUTION = 2000

export interface TimeTrackProps {
  spans: readonly CallSpan[]
  player: ReplayPlayer
  time: number
  duration: number
  scale: TrackScale
}

/** Two lanes of calls, and below them a stroke for every chunk: this shows where text flowed and where a tool ran. */
export function TimeTrack({ spans, player, time, duration, scale }: TimeTrackProps): ReactNode {
  const at = (milliseconds: number): number => scale.at(milliseconds)
  const now = at(time)
  return (
    <svg className="track" aria-hidden="true">
      <g className="track-calls">
        {spans.map(span => {
          const width = Math.max(0.3, at(span.end) - at(span.start))
          const isLater = span.start > time
          return (
            <svg
              key={span.toolCallId}
              aria-hidden="true"
              x={`${at(span.start)}%`}
              y={20 * (1 - span.lane)}
              width={`${width}%`}
              height={18}
              data-failed={(span.hasFailed && span.end <= time) || undefined}
              data-later={isLater || undefined}
              onClick={() => player.seek(span.chunk)}
            >
              <rect width="100%" height={18} rx={3} />
              {width * 10 > span.name.length * 6.5 + 14 && (
                <text x={6} y={13}>
                  {visibleLine(span.name)}
                </text>
              )}
            </svg>
          )
        })}
      </g>
      <line className="track-floor" x1="0" x2="100%" y1={43.5} y2={43.5} />
      <Strokes player={player} scale={scale} chunks={player.timeline.length} />
      <rect className="track-later" x={`${now}%`} y={50} width={`${100 - now}%`} height={14} />
      <Notches scale={scale} />
      <Scale duration={duration} scale={scale} />
      <rect className="track-head" x={`${now}%`} y={0} width={2} height={66} transform="translate(-1)" />
      <circle className="track-head" cx={`${now}%`} cy={2} r={4} />
    </svg>
  )
}

/** Does not change with the moment. */
const Strokes = memo(function Strokes({
  player,
  scale,
}: {
  player: ReplayPlayer
  scale: TrackScale
  chunks: number
}): ReactNode {
  const path = useMemo(() => {
    const places = new Set(player.timeline.map(one => Math.round((scale.at(one.time) / 100) * RESOLUTION)))
    return [...places].map(x => `M${x} 0v12`).join('')
  }, [player, scale])
  return (
    <svg aria-hidden="true" y={51} width="100%" height={12} viewBox={`0 0 ${RESOLUTION} 12`} preserveAspectRatio="none">
      <path className="track-strokes" d={path} />
    </svg>
  )
})

/** How long a person took, in words: the notch's width is not proportional. */
const Notches = memo(function Notches({ scale }: { scale: TrackScale }): ReactNode {
  const { seconds } = useWords()
  return scale.notches.map(({ x, width, wait }) => (
    <svg key={x} aria-hidden="true" className="track-wait" x={`${x}%`} y={0} width={`${width}%`} height={64}>
      <rect width="100%" height={64} rx={3} />
      <text x="50%" y={36} textAnchor="middle">
        {seconds(wait)}
      </text>
    </svg>
  ))
})

/** Round times of work only: a scale that included the waits would have uneven steps. */
const Scale = memo(function Scale({ duration, scale }: { duration: number; scale: TrackScale }): ReactNode {
  const { seconds } = useWords()
  const worked = duration - scale.notches.reduce((sum, { wait }) => sum + wait, 0)
  const times =
    scale.notches.length === 0 ? createScale(duration) : createScale(worked).map(time => scale.workToTime(time))
  return times.map(time => {
    const place = scale.at(time)
    return (
      <text
        key={time}
        className="track-time"
        x={`${place}%`}
        y={82}
        textAnchor={place < 3 ? 'start' : place > 97 ? 'end' : 'middle'}
      >
        {seconds(time)}
      </text>
    )
  })
})
