import { type ReactNode, useEffect, useState } from 'react'
import { Icon } from '../frame/icon.tsx'
import type { ViewSegment } from '../reading/view-at.ts'
import { formatCount } from '../state/words.ts'

/** A reply plays for this long, or less if it would be too slow. */
const PLAY_MS = 9000
const SLOWEST_PER_SECOND = 30

interface PlayerProps {
  length: number
  cut: number
  segments: readonly ViewSegment[]
  failed: ReadonlySet<number>
  isHeld: boolean
  onCut: (cut: number) => void
}

export function Player({ length, cut, segments, failed, isHeld, onCut }: PlayerProps): ReactNode {
  const [isPlaying, setPlaying] = useState(false)
  usePlaying(isPlaying, length, cut, onCut, () => setPlaying(false))
  const isEnded = cut >= length
  const toggle = (): void => {
    if (!isPlaying && isEnded) onCut(0)
    setPlaying(!isPlaying)
  }
  const words =
    length === 0
      ? 'Nothing to play'
      : isEnded
        ? 'The reply has ended'
        : isHeld
          ? 'Checking whether this is a call'
          : 'Arriving'
  return (
    <div className="player">
      <button type="button" className="play" onClick={toggle} disabled={length === 0}>
        <Icon name={isPlaying ? 'pause' : 'play'} />
        <span className="hidden">{isPlaying ? 'Pause' : 'Play the stream'}</span>
      </button>
      <div className="player-track">
        <Track length={length} segments={segments} failed={failed} />
        <input
          type="range"
          className="slider"
          aria-label="Characters received"
          aria-valuetext={`${formatCount(cut)} of ${formatCount(length)} characters. ${words}.`}
          min={0}
          max={length}
          value={cut}
          disabled={length === 0}
          onChange={event => {
            setPlaying(false)
            onCut(event.target.valueAsNumber)
          }}
        />
        <p className="player-words">
          <span>{words}</span>
          <span className="meta">
            {formatCount(cut)} of {formatCount(length)}
          </span>
        </p>
      </div>
    </div>
  )
}

/** Shows where in the text the calls and the examples are. */
function Track({ length, segments, failed }: Pick<PlayerProps, 'length' | 'segments' | 'failed'>): ReactNode {
  const marked = segments.filter(({ kind }) => kind !== 'text' && kind !== 'mark').slice(0, 400)
  return (
    <svg className="track" aria-hidden="true" preserveAspectRatio="none" viewBox={`0 0 ${Math.max(1, length)} 1`}>
      {marked.map(({ kind, start, end, index }) => (
        <rect
          key={start}
          className="track-part"
          data-kind={kind === 'call' && failed.has(index ?? -1) ? 'failed' : kind}
          x={start}
          width={Math.max(end - start, length / 200)}
          height={1}
        />
      ))}
    </svg>
  )
}

function usePlaying(
  isPlaying: boolean,
  length: number,
  cut: number,
  onCut: (cut: number) => void,
  onEnd: () => void,
): void {
  useEffect(() => {
    if (!isPlaying) return
    if (cut >= length) return onEnd()
    const perSecond = Math.max(SLOWEST_PER_SECOND, (length / PLAY_MS) * 1000)
    const from = performance.now()
    const frame = requestAnimationFrame(now => {
      const step = Math.max(1, Math.round(((now - from) / 1000) * perSecond))
      onCut(Math.min(length, cut + Math.min(step, Math.ceil(length / 60) + 1)))
    })
    return () => cancelAnimationFrame(frame)
  }, [isPlaying, length, cut, onCut, onEnd])
}
