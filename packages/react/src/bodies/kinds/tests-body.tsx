import { visibleText } from '@argot/core/stream'
import { visibleLine } from '@argot/core/stream/internal'
import { type ReactNode, useId, useMemo } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { useBodyState } from '../body-state.tsx'
import { ScrollBox } from '../scroll-box.tsx'
import { firstLines } from '../text/cut-text.ts'
import type { TestFailure, TestRun } from './read-test-run.ts'
import { readTraceLines } from './read-trace.ts'
import { TraceLines } from './trace-lines.tsx'

/** This many failures, and this much of one trace, are drawn. "As text" has the rest. */
const MOST_FAILURES = 100
const TRACE_LINES = 400
const TRACE_CHARACTERS = 40_000

export interface TestsBodyProps {
  run: TestRun
}

export default function TestsBody({ run }: TestsBodyProps): ReactNode {
  const { tests } = usePartLocale().body
  const { failed, passed, skipped, duration, failures } = run
  const counts = [
    failed > 0 && <span className="argot-fail">{tests.failed(failed)}</span>,
    passed > 0 && <span className={failed === 0 ? 'argot-tests-good' : undefined}>{tests.passed(passed)}</span>,
    skipped > 0 && <span>{tests.skipped(skipped)}</span>,
    duration !== undefined && <span>{visibleLine(duration)}</span>,
  ].filter(one => one !== false)
  return (
    <div className="argot-tests" data-part="tests">
      <p className="argot-tests-counts">
        {counts.map((one, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the counts of one run never move
          <span key={index}>{one}</span>
        ))}
      </p>
      {failures.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: without markers Safari takes the role away
        <ul role="list">
          {failures.slice(0, MOST_FAILURES).map((failure, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the failures of one run never move
            <li key={index}>
              <Failure failure={failure} id={String(index)} isFirst={index === 0} />
            </li>
          ))}
        </ul>
      )}
      {failures.length > MOST_FAILURES && <p className="argot-quiet">{tests.more(failures.length - MOST_FAILURES)}</p>}
      <Names id="passes" names={run.passes} label={tests.passed(passed)} />
      <Names id="skips" names={run.skips} label={tests.skipped(skipped)} />
    </div>
  )
}

/** The first failure is open: readers want to see it first. */
function Failure({ failure, id, isFirst }: { failure: TestFailure; id: string; isFirst: boolean }): ReactNode {
  const { body } = usePartLocale()
  const [isOpen, setOpen] = useBodyState(`failure${id}`, isFirst)
  const panel = useId()
  const trace = useMemo(() => firstLines(failure.trace, TRACE_LINES, TRACE_CHARACTERS), [failure])
  const lines = useMemo(() => (isOpen ? readTraceLines(trace.split('\n')) : []), [isOpen, trace])
  const name = visibleLine(failure.name.slice(0, 1000))
  if (failure.trace === '') return <p className="argot-tests-name">{name}</p>
  return (
    <>
      <button
        type="button"
        className="argot-branch argot-tests-name"
        aria-expanded={isOpen}
        aria-controls={isOpen ? panel : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <Chevron />
        <span>{name}</span>
      </button>
      {isOpen && (
        <div id={panel} className="argot-tests-trace">
          <ScrollBox label={name}>
            <TraceLines lines={lines} id={id} />
          </ScrollBox>
          {trace.length < failure.trace.length && <p className="argot-quiet">{body.restInText}</p>}
        </div>
      )}
    </>
  )
}

interface NamesProps {
  id: string
  names: readonly string[]
  label: string
}

/** Passed or skipped tests, folded. Nothing if the report does not name them. */
function Names({ id, names, label }: NamesProps): ReactNode {
  const [isOpen, setOpen] = useBodyState(id, false)
  const panel = useId()
  if (names.length === 0) return null
  return (
    <>
      <button
        type="button"
        className="argot-branch argot-dim"
        aria-expanded={isOpen}
        aria-controls={isOpen ? panel : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <Chevron />
        {label}
      </button>
      {isOpen && (
        <ul id={panel} className="argot-tests-names">
          {names.map((name, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a report may name a test twice
            <li key={index}>{visibleText(name)}</li>
          ))}
        </ul>
      )}
    </>
  )
}

function Chevron(): ReactNode {
  return (
    <svg className="argot-glyph argot-chevron" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M6.25 4l4 4-4 4" />
    </svg>
  )
}
