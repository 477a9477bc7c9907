import { type ReactNode, useEffect, useMemo, useState } from 'react'
import type { ReadingView } from '../reading/view-at.ts'
import type { ReadingAnswers } from '../state/use-reading.ts'
import { describeRest, describeVerdict, describeView, formatCount } from '../state/words.ts'
import { Chunks } from './chunks.tsx'
import { Dialects } from './dialects.tsx'
import type { ItemPlace } from './item.tsx'
import { Reply } from './reply.tsx'
import { Syntaxes } from './syntaxes.tsx'

interface ResultProps {
  answers: ReadingAnswers | undefined
  view: ReadingView | undefined
  isBusy: boolean
  failure: string | undefined
  syntax: string
  target: string
  onSyntax: (syntax: string) => void
  onTarget: (syntax: string) => void
  onShow: (place: ItemPlace) => void
}

export function Result({ answers, view, isBusy, failure, ...props }: ResultProps): ReactNode {
  return (
    <section className="result" aria-labelledby="result-title" aria-busy={isBusy}>
      <h2 id="result-title" className="hidden">
        What Argot reads
      </h2>
      {failure !== undefined && <p className="problem">{failure}</p>}
      {answers === undefined || view === undefined ? (
        <p className="meta">Reading …</p>
      ) : (
        <ReadingResult answers={answers} view={view} {...props} />
      )}
    </section>
  )
}

interface ReadingResultProps extends Omit<ResultProps, 'isBusy' | 'failure'> {
  answers: ReadingAnswers
  view: ReadingView
}

function ReadingResult({ answers, view, syntax, target, onSyntax, onTarget, onShow }: ReadingResultProps): ReactNode {
  const { request, reading, costs, conversion, dialects } = answers
  const toolNames = useMemo(() => new Set(request.tools.map(({ name }) => name)), [request.tools])
  const hasCalls = reading.calls.some(({ failure }) => failure === undefined)
  return (
    <>
      <Verdict answers={answers} view={view} />
      <Reply text={request.text} toolNames={toolNames} reading={reading} view={view} onShow={onShow} />
      {reading.length > 0 && <Chunks reading={reading} view={view} />}
      {dialects !== undefined && reading.length > 0 && (
        <section className="part" aria-labelledby="dialects-title">
          <h2 id="dialects-title">What other syntaxes read</h2>
          <p className="about">Each syntax on its own. Choose one to see its reading.</p>
          <Dialects readings={dialects} syntax={syntax} onChoose={onSyntax} />
        </section>
      )}
      {costs !== undefined && hasCalls && (
        <section className="part" aria-labelledby="costs-title">
          <h2 id="costs-title">The same calls in other syntaxes</h2>
          <p className="about">
            Token counts are estimates: a model's count depends on its tokenizer. Choose a syntax to convert the reply.
          </p>
          <Syntaxes costs={costs} conversion={conversion} target={target} onTarget={onTarget} />
        </section>
      )}
    </>
  )
}

function Verdict({ answers: { reading }, view }: { answers: ReadingAnswers; view: ReadingView }): ReactNode {
  const words = describeVerdict(reading)
  const rest = describeRest(reading).join(' ')
  const [head, dialect] = words.split(', read as ')
  return (
    <div className="verdict">
      <p className="verdict-words">
        {view.isEnded ? head : `After ${formatCount(view.cut)} characters`}
        {view.isEnded && dialect !== undefined && (
          <>
            , read as <code>{dialect}</code>
          </>
        )}
      </p>
      <p className="verdict-rest">{view.isEnded ? rest : describeView(view)}</p>
      <Announcer words={view.isEnded ? `${words}. ${rest}` : ''} />
    </div>
  )
}

/** Announces the outcome once typing pauses. */
function Announcer({ words }: { words: string }): ReactNode {
  const [announced, setAnnounced] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setAnnounced(words), 800)
    return () => clearTimeout(timer)
  }, [words])
  return (
    <p className="hidden" role="status">
      {announced}
    </p>
  )
}
