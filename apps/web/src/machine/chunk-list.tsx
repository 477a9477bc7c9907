import type { Chunk } from '@argot/core'
import type { ReplayPlayer } from '@argot/react'
import { type ReactNode, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import type { PageLocale } from '../locale/page-locale.ts'
import { useWords } from '../locale/words.ts'
import { Choice } from './choice.tsx'
import { formatChunk, summarizeChunk } from './run-log.ts'

type Kind = keyof PageLocale['machine']['kinds']

const kinds: Readonly<Record<Kind, (type: Chunk['type']) => boolean>> = {
  all: () => true,
  text: type => type.startsWith('text-') || type.startsWith('reasoning-'),
  calls: type => type.startsWith('tool-'),
  run: type => !/^(?:text|reasoning|tool)-/.test(type),
}

/** This many are shown at a time: all of them would be more than users can read. */
const SHOWN_AT_ONCE = 60

export function ChunkList({ player }: { player: ReplayPlayer }): ReactNode {
  const { chunk, chunks } = useSyncExternalStore(player.subscribe, player.position)
  const [kind, setKind] = useState<Kind>('all')
  const { machine: words, seconds } = useWords()
  const list = useRef<HTMLOListElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time line is there once there are chunks
  const all = useMemo(() => player.timeline.map((one, index) => ({ ...one, number: index + 1 })), [player, chunks])
  const matching = useMemo(() => all.filter(({ chunk: { type } }) => kinds[kind](type)), [all, kind])
  const at = matching.findLastIndex(({ number }) => number <= chunk)
  const start = Math.max(0, Math.min(at - SHOWN_AT_ONCE / 2, matching.length - SHOWN_AT_ONCE))
  // biome-ignore lint/correctness/useExhaustiveDependencies: each moment is a reason to look where it is
  useLayoutEffect(() => {
    const box = list.current
    const row = box?.querySelector<HTMLElement>('[aria-current]')
    if (box && row) box.scrollTop = row.offsetTop - box.offsetTop - box.clientHeight / 3
  }, [chunk, kind])
  return (
    <aside className="chunks" aria-label={words.chunks}>
      <div className="chunks-head">
        <h2>{words.chunks}</h2>
        <Choice name={words.kindsOfChunks} value={kind} onChange={next => setKind(next as Kind)}>
          {(Object.keys(kinds) as Kind[]).map(name => (
            <option key={name} value={name}>
              {words.kinds[name]}
            </option>
          ))}
        </Choice>
      </div>
      <ol ref={list} aria-label={words.chunks} start={start + 1}>
        {matching.slice(start, start + SHOWN_AT_ONCE).map(({ time, chunk: one, number }) => {
          const isNow = number === chunk
          return (
            <li key={number} aria-current={isNow ? 'step' : undefined} data-later={number > chunk || undefined}>
              <button type="button" onClick={() => player.seek(number)}>
                <span className="chunks-number">{number}</span>
                <span className="chunks-time">{seconds(time)}</span>
                <span className="chunks-type">{one.type}</span>
                {!isNow && (
                  <span className="chunks-text">{summarizeChunk(one).slice(0, 80).replaceAll('\n', ' ')}</span>
                )}
              </button>
              {isNow && <pre dir="ltr">{formatChunk(one)}</pre>}
            </li>
          )
        })}
      </ol>
    </aside>
  )
}
