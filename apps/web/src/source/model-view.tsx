import { firstCharacters } from '@argot/core/stream/internal'
import type { DocumentPreview } from '@argot/server/api'
import { type ReactNode, useEffect, useState } from 'react'
import { useWords } from '../locale/words.ts'
import { api } from '../server/api.ts'
import { useWishes } from '../server/wishes.ts'

/** A longer piece is cut until the reader expands it. */
const LONGEST = 4000

/** The prompt that the model would receive now, piece by piece, with the origin and estimated tokens of each. */
export function ModelView({ document, stamp }: { document: string; stamp: string }): ReactNode {
  const wishes = useWishes(document)
  const words = useWords().source
  const [preview, setPreview] = useState<DocumentPreview>()
  const [problem, setProblem] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new stamp is a reason to load
  useEffect(() => {
    let isMounted = true
    setProblem(undefined)
    api.preview(document, wishes).then(
      nextPreview => isMounted && setPreview(nextPreview),
      (error: unknown) => isMounted && setProblem(error instanceof Error ? error.message : String(error)),
    )
    return () => {
      isMounted = false
    }
  }, [document, stamp, wishes])
  if (problem !== undefined) return <p className="problem">{problem}</p>
  if (preview === undefined) return null
  const { model, syntax, tokens, messages, tools, notices } = preview
  if (preview.diagnostics.some(({ severity }) => severity === 'error')) {
    return <p className="problem">{words.hasErrors}</p>
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: it has no fields
    <div className="model-view" role="group" tabIndex={0} aria-label={words.modelSees(document)}>
      <p className="meta">
        {model} · {syntax}
        {tokens !== undefined && ` · ${words.aboutTokens(tokens)}`}
      </p>
      {tools.length > 0 && <p className="meta">{words.tools(tools.map(({ name }) => name).join(', '))}</p>}
      {notices.map(notice => (
        <p key={notice} className="meta">
          {notice}
        </p>
      ))}
      {messages
        .filter(({ sent }) => sent)
        .map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no names here
          <section key={index}>
            <h2>{message.role}</h2>
            {message.pieces.map((piece, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: nor have pieces
              <Piece key={at} {...piece} />
            ))}
          </section>
        ))}
    </div>
  )
}

function Piece({ text, origin, added, tokens }: DocumentPreview['messages'][number]['pieces'][number]): ReactNode {
  const words = useWords().source
  const [isWhole, setWhole] = useState(false)
  const isCut = text.length > LONGEST && !isWhole
  return (
    <div className="piece" data-added={added}>
      <p className="meta">
        {added === true ? words.added(origin) : origin}
        {tokens !== undefined && ` · ${words.tokens(tokens)}`}
      </p>
      <pre dir="ltr">{isCut ? firstCharacters(text, LONGEST) : text}</pre>
      {isCut && (
        <button type="button" className="button" data-kind="small" onClick={() => setWhole(true)}>
          {words.showAllCharacters(text.length)}
        </button>
      )}
    </div>
  )
}
