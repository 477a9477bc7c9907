import type { ToolInvocation } from '@argot/core'
import { type CallLocale, isSettled, waitsFor } from '@argot/core/stream'
import { type ReactNode, useMemo } from 'react'
import { ComponentChunk, FromChunk } from '../../bodies/component-chunk.tsx'
import { useIsClient } from '../../bodies/use-is-client.ts'
import { useGoneSince } from '../../hooks/use-gone-since.ts'
import { useRunClock } from '../../hooks/use-run-clock.ts'
import { describeCall } from '../../hooks/words.ts'
import type { RunLocale } from '../../locale/chat-locale.ts'
import { useLocale } from '../../locale/frame-locale.ts'
import { Chevron } from '../glyph.tsx'
import { isFailed, type RunSummary, runSummary } from './run-summary.ts'
import type { StripCall } from './strip-call.ts'
import type { TimeStripProps } from './time-strip.tsx'
import type { Wait, Waits } from './waits.ts'

export interface RunLineProps {
  calls: readonly ToolInvocation[]
  status: 'working' | 'done' | 'stopped'
  /** When the turn began and ended; by default the times of its first and last call. */
  startedAt?: number | undefined
  endedAt?: number | undefined
  /** How many calls wait for the person, if the calls alone don't show it: those of agents inside them. */
  waiting?: number | undefined
  /** The keys of the calls whose question was answered, here or elsewhere. */
  answered?: ReadonlySet<string> | undefined
  /** When each call waited for a person, by the call's key: that is not counted as work. */
  waits?: Waits | undefined
  /** Whether the calls below are shown; without `onToggle` the line can't fold them. */
  isOpen?: boolean | undefined
  onToggle?: ((open: boolean) => void) | undefined
  /** Goes to a call of the strip. */
  onSelect?: ((key: string) => void) | undefined
  /** The id of the element that it opens. */
  controls?: string | undefined
}

/** Decoration: the words are there before it. */
export const timeStrip: ComponentChunk<TimeStripProps> = new ComponentChunk(() => import('./time-strip.tsx'))

const noWaits: Waits = new Map()

/** A turn's work in one line: how long, how many calls, what failed or waits, and how the time was spent. */
export function RunLine(props: RunLineProps): ReactNode {
  const { calls, status, answered, waits = noWaits, isOpen = true, onToggle, onSelect, controls } = props
  const { call: words, run } = useLocale()
  const isWorking = status === 'working'
  const now = useRunClock(isWorking)
  // A server leaves the strip out: the line may change before a browser has loaded it.
  const isClient = useIsClient()
  const isGone = useGoneSince() !== undefined && isWorking
  const summary = useMemo(() => runSummary(calls), [calls])
  const begin = props.startedAt ?? summary.startedAt
  const bars = useMemo(
    () => calls.map(call => toStripCall(call, words, waits.get(call.key), answered?.has(call.key), isGone)),
    [calls, words, waits, answered, isGone],
  )
  const lastEnd = bars.reduce((last, { to = last }) => Math.max(last, to), summary.endedAt ?? 0)
  const end = isWorking ? Math.max(now ?? 0, lastEnd) : (props.endedAt ?? (summary.endedAt && lastEnd))
  const toWords = (time: number) => (time < 1000 ? undefined : words.duration(time))
  const strip = begin === undefined || end === undefined ? undefined : { calls: bars, waits, begin, end }
  const say = (worked: number, waited = 0) =>
    headWords(isGone ? 'gone' : status, calls.length, toWords(worked), toWords(waited), run)
  const took = strip === undefined ? 0 : strip.end - strip.begin
  const content = (
    <>
      <Words summary={{ ...summary, waiting: props.waiting ?? summary.waiting }} isOver={status !== 'working'}>
        {strip === undefined || waits.size === 0 || !isClient ? (
          say(took)
        ) : (
          <FromChunk chunk={timeStrip} props={{ ...strip, say, notch: String }} fallback={say(took)} />
        )}
      </Words>
      {strip !== undefined && (
        <span className="argot-strip" data-part="strip" aria-hidden="true">
          {isClient && (
            <FromChunk
              chunk={timeStrip}
              props={{
                ...strip,
                notch: time => run.notch(words.duration(time)),
                onSelect,
              }}
            />
          )}
        </span>
      )}
      {onToggle !== undefined && <Chevron />}
    </>
  )
  if (onToggle === undefined)
    return (
      <div className="argot-run" data-part="run">
        {content}
      </div>
    )
  return (
    <button
      type="button"
      className="argot-run"
      data-part="run"
      aria-expanded={isOpen}
      aria-controls={isOpen ? controls : undefined}
      onClick={() => onToggle(!isOpen)}
    >
      {content}
    </button>
  )
}

/** A call on the strip. If its question was answered, it is over and shows its question. */
function toStripCall(
  call: ToolInvocation,
  locale: CallLocale,
  wait: Wait | undefined,
  isAnswered: boolean | undefined,
  isGone: boolean,
): StripCall {
  const { state, verb, subject = '', sentence } = describeCall(call, { locale })
  const isOver = isAnswered || isGone || isSettled(call)
  return {
    key: call.key,
    name: isAnswered ? `${verb} ${subject}` : sentence,
    from: call.startedAt,
    // Its own time leaves out the person's thinking time.
    to: call.endedAt && call.endedAt + (wait?.to === undefined ? 0 : Math.max(0, wait.to - wait.from)),
    tone: isFailed(state) ? 'fail' : waitsFor(call) && !isAnswered ? 'wait' : isOver ? 'done' : 'live',
  }
}

function headWords(
  status: RunLineProps['status'] | 'gone',
  calls: number,
  duration: string | undefined,
  waited: string | undefined,
  run: RunLocale,
): string {
  const head = run[status === 'done' ? 'worked' : status === 'gone' ? 'lastSeen' : status]
  // "Worked" without a duration adds nothing to the list of what it did.
  const hasHead = status !== 'done' || duration !== undefined || calls === 0
  return [hasHead && head(duration), waited && run.waited(waited), calls > 0 && run.calls(calls)]
    .filter(Boolean)
    .join(' · ')
}

interface WordsProps {
  summary: RunSummary
  isOver: boolean
  children: ReactNode
}

function Words({ summary: { failed, waiting, filesChanged }, isOver, children }: WordsProps): ReactNode {
  const { run } = useLocale()
  return (
    <span className="argot-run-words">
      {children}
      {filesChanged > 0 && isOver && ` · ${run.filesChanged(filesChanged)}`}
      {failed > 0 && (
        <>
          {' · '}
          <span className="argot-fail">{run.failed(failed)}</span>
        </>
      )}
      {waiting > 0 && (
        <>
          {' · '}
          <span className="argot-wait">{run.needYou(waiting)}</span>
        </>
      )}
    </span>
  )
}
