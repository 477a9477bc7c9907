import type { ToolInvocation } from '@argot/core'
import type { CallLocale } from '@argot/core/stream'
import { type ReactNode, useMemo } from 'react'
import { useGoneSince } from '../../hooks/use-gone-since.ts'
import { useRunClock } from '../../hooks/use-run-clock.ts'
import { describeCall } from '../../hooks/words.ts'
import { useLocale } from '../../locale/frame-locale.ts'
import { Chevron } from '../glyph.tsx'
import { type RunSummary, runSummary } from './run-summary.ts'
import { TimeStrip } from './time-strip.tsx'

export interface RunLineProps {
  calls: readonly ToolInvocation[]
  /** Whether the turn is still under way, is over, or was stopped. */
  status: 'working' | 'done' | 'stopped'
  /** When the turn began and ended; its first and last call where that is not known. */
  startedAt?: number | undefined
  endedAt?: number | undefined
  /** How many calls wait for the person, where more is known than the calls say: those of agents inside them. */
  waiting?: number | undefined
  /** The keys of the calls that ask and whose answer was given, here or elsewhere: they need nobody. */
  answered?: ReadonlySet<string> | undefined
  /** Whether the calls below are shown; without `onToggle` the line cannot fold them. */
  isOpen?: boolean | undefined
  onToggle?: ((open: boolean) => void) | undefined
  /** Goes to a call of the strip. */
  onSelect?: ((key: string) => void) | undefined
  /** The id of what it opens. */
  controls?: string | undefined
}

/** The work of a turn in one line: how long, how many calls, what failed or waits, and where the time went. */
export function RunLine(props: RunLineProps): ReactNode {
  const { calls, status, answered, isOpen = true, onToggle, onSelect, controls } = props
  const { call: words } = useLocale()
  const isWorking = status === 'working'
  const now = useRunClock(isWorking)
  const isGone = useGoneSince() !== undefined && isWorking
  const summary = useMemo(() => runSummary(calls), [calls])
  const begin = props.startedAt ?? summary.startedAt
  const end = isWorking ? Math.max(now ?? 0, summary.endedAt ?? 0) : (props.endedAt ?? summary.endedAt)
  const names = useMemo(
    () => new Map(calls.map(call => [call.key, sentenceOf(call, words, answered?.has(call.key))])),
    [calls, words, answered],
  )
  const took = begin === undefined || end === undefined ? 0 : end - begin
  const duration = took < 1000 ? undefined : words.duration(took)
  const content = (
    <>
      <Words
        summary={{ ...summary, waiting: props.waiting ?? summary.waiting }}
        status={isGone ? 'gone' : status}
        duration={duration}
      />
      {begin !== undefined && end !== undefined && (
        <TimeStrip
          calls={calls}
          begin={begin}
          end={end}
          nameOf={key => names.get(key) ?? ''}
          onSelect={onSelect}
          answered={answered}
          isStill={isGone}
        />
      )}
      {onToggle !== undefined && <Chevron />}
    </>
  )
  if (onToggle === undefined) return <div className="argot-run">{content}</div>
  return (
    <button
      type="button"
      className="argot-run"
      aria-expanded={isOpen}
      aria-controls={isOpen ? controls : undefined}
      onClick={() => onToggle(!isOpen)}
    >
      {content}
    </button>
  )
}

/** A call in words; of one that asks and was answered, what it asked. */
function sentenceOf(call: ToolInvocation, locale: CallLocale, isAnswered = false): string {
  const { verb, subject = '', sentence } = describeCall(call, { locale })
  return isAnswered ? `${verb} ${subject}` : sentence
}

interface WordsProps {
  summary: RunSummary
  /** `gone`: nothing is heard of it any more. */
  status: RunLineProps['status'] | 'gone'
  duration: string | undefined
}

function Words({ summary, status, duration }: WordsProps): ReactNode {
  const { run } = useLocale()
  const head = { working: run.working, gone: run.lastSeen, stopped: run.stopped, done: run.worked }[status]
  const { calls, failed, waiting, filesChanged } = summary
  // That it worked, without for how long, says nothing beside what it did.
  const hasHead = status !== 'done' || duration !== undefined || calls === 0
  return (
    <span className="argot-run-words">
      {hasHead && head(duration)}
      {calls > 0 && `${hasHead ? ' · ' : ''}${run.calls(calls)}`}
      {filesChanged > 0 && (status === 'done' || status === 'stopped') && ` · ${run.filesChanged(filesChanged)}`}
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
