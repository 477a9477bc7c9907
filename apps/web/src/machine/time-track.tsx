import { visibleLine } from '@argot/core/stream/internal'
import type { ReplayPlayer } from '@argot/react'
import { memo, type ReactNode, useMemo } from 'react'
import { useWords } from '../locale/words.ts'
import type { CallSpan } from './call-spans.ts'
import { scaleOf } from './scale-of.ts'

/** Strokes that would lie on each other are drawn once. */
const RESOLUTION = 2000

export interface TimeTrackProps {
  spans: readonly CallSpan[]
  player: ReplayPlayer
  time: number
  duration: number
}

/** Two lanes of calls, and below them a stroke for every chunk: one sees where text flowed and where a tool ran. */
export function TimeTrack({ spans, player, time, duration }: TimeTrackProps): ReactNode {
  const at = (milliseconds: number): number => (duration === 0 ? 0 : (milliseconds / duration) * 100)
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
      <Strokes player={player} duration={duration} chunks={player.timeline.length} />
      <rect className="track-later" x={`${now}%`} y={50} width={`${100 - now}%`} height={14} />
      <Scale duration={duration} />
      <rect className="track-head" x={`${now}%`} y={0} width={2} height={66} transform="translate(-1)" />
      <circle className="track-head" cx={`${now}%`} cy={2} r={4} />
    </svg>
  )
}

/** Does not change while the moment does. */
const Strokes = memo(function Strokes({
  player,
  duration,
}: {
  player: ReplayPlayer
  duration: number
  chunks: number
}): ReactNode {
  const path = useMemo(() => {
    const places = new Set(
      player.timeline.map(one => Math.round(duration === 0 ? 0 : (one.time / duration) * RESOLUTION)),
    )
    return [...places].map(x => `M${x} 0v12`).join('')
  }, [player, duration])
  return (
    <svg aria-hidden="true" y={51} width="100%" height={12} viewBox={`0 0 ${RESOLUTION} 12`} preserveAspectRatio="none">
      <path className="track-strokes" d={path} />
    </svg>
  )
})

const Scale = memo(function Scale({ duration }: { duration: number }): ReactNode {
  const { seconds } = useWords()
  return scaleOf(duration).map(time => {
    const place = duration === 0 ? 0 : (time / duration) * 100
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
