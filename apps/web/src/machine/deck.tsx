import type { Message } from '@argot/core'
import { type ReplayPlayer, useMessage } from '@argot/react'
import { type KeyboardEvent, type ReactNode, useMemo, useState, useSyncExternalStore } from 'react'
import { useLanguage } from '../locale/words.ts'
import { type CallSpan, callSpans } from './call-spans.ts'
import { Choice } from './choice.tsx'
import { momentWords } from './moment-words.ts'
import { runWaits } from './run-waits.ts'
import { TimeTrack } from './time-track.tsx'
import { TrackScale } from './track-scale.ts'

const speeds = [0.5, 1, 2, 4, 16]
const TRACK_POSITIONS = 10_000

export interface DeckProps {
  player: ReplayPlayer
  messageId: string
  /** Shown before the words: which run this is. */
  runs: ReactNode
  /** About the requested moment. */
  note: string | undefined
  onLink: () => Promise<void>
  onExport: () => void
  onClose: () => void
  /** Makes a document with the history up to here, including `message` as far as it was written. */
  onFork: (message: Message | undefined) => Promise<void>
}

export function Deck(props: DeckProps): ReactNode {
  const { player, messageId, runs, note, onLink, onExport, onClose, onFork } = props
  const position = useSyncExternalStore(player.subscribe, player.position)
  const { chunk, chunks, time, duration, isPlaying, speed } = position
  const message = useMessage(messageId)
  const [problem, setProblem] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time line is there once there are chunks
  const spans = useMemo(() => callSpans(player.timeline), [player, chunks])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same
  const scale = useMemo(() => new TrackScale(duration, runWaits(player.timeline)), [player, chunks, duration])
  const { page, chat } = useLanguage()
  const { machine: words, seconds } = page
  const moment = momentWords(player.timeline[chunk - 1]?.chunk, message, words, chat.call)
  const where = words.where(chunk, chunks, seconds(time), seconds(duration))
  const [copied, setCopied] = useState<number>()
  const act = (work: Promise<void>): void => {
    setProblem(undefined)
    work.catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
  }
  const fork = (): void => act(onFork(chunk === 0 ? undefined : message))
  return (
    <section className="deck" aria-label={words.title}>
      <div className="deck-bar">
        <button type="button" className="plain" aria-label={words.back} onClick={() => player.step(-1)}>
          <Icon path="M4 3v10M13 3l-7 5 7 5z" />
        </button>
        <button
          type="button"
          className="deck-play"
          aria-label={isPlaying ? words.pause : words.play}
          onClick={() => (isPlaying ? player.pause() : play(player))}
        >
          <Icon path={isPlaying ? 'M5 3v10M11 3v10' : 'M5 3l8 5-8 5z'} />
        </button>
        <button type="button" className="plain" aria-label={words.on} onClick={() => player.step(1)}>
          <Icon path="M12 3v10M3 3l7 5-7 5z" />
        </button>
        <Choice name={words.speed} value={speed} onChange={value => setSpeed(player, Number(value), isPlaying)}>
          {speeds.map(one => (
            <option key={one} value={one}>
              {one}×
            </option>
          ))}
        </Choice>
        {runs}
        <p className="deck-words">
          <b data-failed={moment.hasFailed || undefined}>{moment.text}</b> <span className="deck-where">{where}</span>
        </p>
        <button type="button" className="plain" onClick={onClose}>
          {page.close}
        </button>
        <button type="button" className="plain" onClick={() => act(onLink().then(() => setCopied(chunk)))}>
          {copied === chunk ? page.moments.copied : page.moments.copy}
        </button>
        <button type="button" className="plain" onClick={onExport}>
          {words.export}
        </button>
        <button type="button" className="deck-fork" aria-label={words.fork} onClick={fork}>
          <Icon path="M4 2.5v11M4 11c0-4 8-2 8-6M12 2.5V5" />
          <span className="deck-fork-words">{words.fork}</span>
        </button>
      </div>
      {note !== undefined && (
        <p className="deck-note" role="status">
          {note}
        </p>
      )}
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <div className="deck-track" dir="ltr">
        <input
          type="range"
          min={0}
          max={TRACK_POSITIONS}
          value={Math.round((scale.at(time) / 100) * TRACK_POSITIONS)}
          aria-label={words.moment}
          aria-valuetext={words.momentText(chunk, chunks, seconds(time), moment.text)}
          onChange={event => {
            player.pause()
            player.seekTime(scale.timeAt((Number(event.target.value) / TRACK_POSITIONS) * 100))
          }}
          onKeyDown={event => move(event, player, spans)}
        />
        <TimeTrack spans={spans} player={player} time={time} duration={duration} scale={scale} />
      </div>
    </section>
  )
}

function Icon({ path }: { path: string }): ReactNode {
  return (
    <svg className="argot-glyph" viewBox="0 0 16 16" aria-hidden="true">
      <path d={path} />
    </svg>
  )
}

/** Arrows move by one chunk, Page Up and Page Down by one call, Home and End to the ends. */
function move(event: KeyboardEvent, player: ReplayPlayer, spans: readonly CallSpan[]): void {
  const { chunk, chunks } = player.position()
  const starts = spans.map(one => one.chunk).sort((a, b) => a - b)
  const go = (to: number): void => {
    player.pause()
    player.seek(to)
  }
  const moves = new Map([
    ['ArrowLeft', () => player.step(-1)],
    ['ArrowDown', () => player.step(-1)],
    ['ArrowRight', () => player.step(1)],
    ['ArrowUp', () => player.step(1)],
    ['PageUp', () => go(starts.findLast(start => start < chunk) ?? 0)],
    ['PageDown', () => go(starts.find(start => start > chunk) ?? chunks)],
    ['Home', () => go(0)],
    ['End', () => go(chunks)],
  ])
  const act = moves.get(event.key)
  if (act === undefined) return
  event.preventDefault()
  act()
}

function play(player: ReplayPlayer): void {
  const { chunk, chunks } = player.position()
  if (chunk >= chunks) player.seek(0)
  player.play()
}

function setSpeed(player: ReplayPlayer, speed: number, isPlaying: boolean): void {
  player.play(speed)
  if (!isPlaying) player.pause()
}
