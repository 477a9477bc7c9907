import { ChatBox, ChatProvider, ChatStore, type ReplayAdapter, type ReplayPlayer, replayAdapter } from '@argot/react'
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { api } from './api.ts'
import { type CallSpan, callSpans, chunkText, readLog } from './run-log.ts'
import { goTo, hrefOf } from './use-route.ts'

export interface TimeMachineProps {
  document: string
  run: string
}

/** A run as it was at any of its moments. */
export function TimeMachine({ document, run }: TimeMachineProps): ReactNode {
  const [adapter, setAdapter] = useState<ReplayAdapter>()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    let isHere = true
    readLog(run).then(
      lines => isHere && setAdapter(replayAdapter(lines, { paused: true, stays: true })),
      (error: unknown) => isHere && setProblem(String(error)),
    )
    return () => {
      isHere = false
    }
  }, [run])
  if (problem !== undefined) return <p className="problem">{problem}</p>
  if (adapter === undefined) return null
  return <Machine adapter={adapter} document={document} />
}

function Machine({ adapter, document }: { adapter: ReplayAdapter; document: string }): ReactNode {
  const store = useMemo(() => new ChatStore({ adapter }), [adapter])
  const { player } = adapter
  useEffect(() => {
    // The end is what one knows: from there one goes back.
    let isThere = false
    const toEnd = (): void => {
      const { chunks } = player.position()
      if (isThere || chunks === 0) return
      isThere = true
      player.seek(chunks)
    }
    toEnd()
    return player.subscribe(toEnd)
  }, [player])
  return (
    <div className="machine">
      <ChatProvider store={store} adapter={adapter}>
        <ChatBox className="machine-box" />
      </ChatProvider>
      <Chunks player={player} />
      <Deck player={player} document={document} store={store} />
    </div>
  )
}

const speeds = [0.5, 1, 2, 4, 16]

function Deck({ player, document, store }: { player: ReplayPlayer; document: string; store: ChatStore }): ReactNode {
  const { chunk, chunks, time, duration, isPlaying, speed } = useSyncExternalStore(player.subscribe, player.position)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time line is there once there are chunks
  const spans = useMemo(() => callSpans(player.timeline), [player, chunks])
  const words = `${stateAt(spans, time, chunk === chunks)}`
  const where = `Chunk ${chunk} of ${chunks}, ${seconds(time)} of ${seconds(duration)}`
  const onKeyDown = (event: KeyboardEvent): void => {
    const starts = spans.map(({ start }) => start)
    const moves = new Map([
      ['ArrowLeft', () => player.step(-1)],
      ['ArrowRight', () => player.step(1)],
      ['PageUp', () => player.seekTime(starts.findLast(start => start < time - 1) ?? 0)],
      ['PageDown', () => player.seekTime(starts.find(start => start > time) ?? duration)],
      ['Home', () => player.seek(0)],
      ['End', () => player.seek(chunks)],
    ])
    const move = moves.get(event.key)
    if (move === undefined) return
    event.preventDefault()
    move()
  }
  return (
    <section className="deck" aria-label="Time machine">
      <div className="deck-bar">
        <button type="button" className="plain" aria-label="One chunk back" onClick={() => player.step(-1)}>
          ◂
        </button>
        <button type="button" className="plain" onClick={() => (isPlaying ? player.pause() : play(player))}>
          {isPlaying ? 'Pause' : 'Play'}
        </button>
        <button type="button" className="plain" aria-label="One chunk on" onClick={() => player.step(1)}>
          ▸
        </button>
        <label className="deck-speed">
          <span className="quiet">Speed</span>
          <select value={speed} onChange={event => setSpeed(player, Number(event.target.value), isPlaying)}>
            {speeds.map(one => (
              <option key={one} value={one}>
                {one} ×
              </option>
            ))}
          </select>
        </label>
        <span className="deck-words">
          {words} <span className="quiet">{where}</span>
        </span>
        <span className="head-space" />
        <a className="deck-link" href={hrefOf(document)}>
          Back to the conversation
        </a>
        <button type="button" className="primary" onClick={() => void fork(document, store)}>
          Fork here
        </button>
      </div>
      <Lanes spans={spans} player={player} time={time} duration={duration} />
      <input
        type="range"
        min={0}
        max={Math.max(1, Math.round(duration))}
        value={Math.round(time)}
        aria-label="Moment"
        aria-valuetext={`${where}, ${words}`}
        onChange={event => {
          player.pause()
          player.seekTime(Number(event.target.value))
        }}
        onKeyDown={onKeyDown}
      />
    </section>
  )
}

/** Two lanes of calls, and below them a stroke for every chunk: one sees where text flowed and where a tool ran. */
function Lanes({
  spans,
  player,
  time,
  duration,
}: {
  spans: readonly CallSpan[]
  player: ReplayPlayer
  time: number
  duration: number
}): ReactNode {
  const at = (milliseconds: number): number => (duration === 0 ? 0 : (milliseconds / duration) * 1000)
  const path = useMemo(() => {
    const marks = new Set(player.timeline.map(one => Math.round(duration === 0 ? 0 : (one.time / duration) * 1000)))
    return [...marks].map(x => `M${x} 0v12`).join('')
  }, [player, duration])
  return (
    <svg className="deck-lanes" viewBox="0 0 1000 54" preserveAspectRatio="none" aria-hidden="true">
      {spans.map(({ toolCallId, lane, start, end, hasFailed }) => (
        <rect
          key={toolCallId}
          x={at(start)}
          y={lane * 20}
          width={Math.max(2, at(end) - at(start))}
          height={18}
          rx={3}
          data-failed={hasFailed || undefined}
          data-later={start > time || undefined}
        />
      ))}
      <path d={path} transform="translate(0 42)" />
      <rect className="deck-head" x={at(time) - 1} y={0} width={2} height={54} />
    </svg>
  )
}

/** The chunks around the moment; all of them would be more than anybody reads. */
function Chunks({ player }: { player: ReplayPlayer }): ReactNode {
  const { chunk, chunks } = useSyncExternalStore(player.subscribe, player.position)
  const start = Math.max(0, Math.min(chunk - 20, chunks - 40))
  const shown = player.timeline.slice(start, start + 40)
  return (
    <ol className="chunks" aria-label="Chunks" start={start + 1}>
      {shown.map(({ time, chunk: one }, index) => {
        const number = start + index + 1
        const isNow = number === chunk
        return (
          <li key={number} aria-current={isNow ? 'step' : undefined} data-later={number > chunk || undefined}>
            <button type="button" onClick={() => player.seek(number)}>
              <span className="quiet">{number}</span> <span className="quiet">{seconds(time)}</span> {one.type}{' '}
              <span className="chunks-text">{isNow ? chunkText(one).slice(0, 2000) : chunkText(one).slice(0, 60)}</span>
            </button>
          </li>
        )
      })}
    </ol>
  )
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

/** A new document with the history before this message, for another try from there. */
async function fork(document: string, store: ChatStore): Promise<void> {
  const message = store.conversation.messages().at(-1)
  if (message !== undefined) goTo(await api.branch(document, message.id, false))
}

function stateAt(spans: readonly CallSpan[], time: number, isEnd: boolean): string {
  const now = spans.findLast(({ start, end }) => start <= time && time <= end)
  if (now !== undefined && !isEnd) return `${now.name}${now.hasFailed && time >= now.end ? ' · failed' : ''}`
  return isEnd ? 'The end' : 'Between calls'
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}
