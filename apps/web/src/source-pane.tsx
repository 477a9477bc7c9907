import { type ReactNode, useCallback, useEffect, useId, useState } from 'react'
import { api, type Diagnostic, type Preview, ServerError } from './api.ts'
import { useWishes } from './wishes.ts'

export interface SourcePaneProps {
  document: string
  /** Changes whenever the file does. */
  stamp: string
  /** A run has it. */
  isBeingWritten: boolean
  onClose: () => void
}

/** The text of the document, what is wrong with it, and what the model sees of it. */
export function SourcePane({ document, stamp, onClose }: SourcePaneProps): ReactNode {
  const [tab, setTab] = useState<'source' | 'model'>('source')
  const id = useId()
  return (
    <aside className="source" aria-label="Source">
      <div className="source-head">
        <div role="tablist" aria-label="View of the document">
          {(['source', 'model'] as const).map(name => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`${id}-${name}`}
              aria-selected={tab === name}
              aria-controls={`${id}-panel`}
              className="plain"
              onClick={() => setTab(name)}
            >
              {name === 'source' ? 'Source' : 'What the model sees'}
            </button>
          ))}
        </div>
        <button type="button" className="plain" onClick={onClose}>
          Close
        </button>
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tab}`} className="source-body">
        {tab === 'source' ? (
          <Source document={document} stamp={stamp} />
        ) : (
          <ModelView document={document} stamp={stamp} />
        )}
      </div>
    </aside>
  )
}

function Source({ document, stamp }: { document: string; stamp: string }): ReactNode {
  const [saved, setSaved] = useState<{ text: string; version: string }>()
  const [draft, setDraft] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [found, setFound] = useState<readonly Diagnostic[]>([])
  const load = useCallback(async () => {
    setSaved(await api.text(document))
    setFound(await api.check(document))
  }, [document])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new stamp is a reason to load
  useEffect(() => {
    load().catch((error: unknown) => setProblem(String(error)))
  }, [load, stamp])
  const text = draft ?? saved?.text ?? ''
  const isChanged = draft !== undefined && draft !== saved?.text
  const save = async (): Promise<void> => {
    if (saved === undefined || draft === undefined) return
    try {
      await api.write(document, draft, saved.version)
      setDraft(undefined)
      setProblem(undefined)
      await load()
    } catch (error) {
      const isConflict = error instanceof ServerError && error.status === 412
      setProblem(
        isConflict ? 'The document changed on disk meanwhile. Copy your text, then discard it.' : String(error),
      )
    }
  }
  return (
    <>
      <textarea
        className="source-text"
        spellCheck={false}
        aria-label={`Text of ${document}`}
        value={text}
        onChange={event => setDraft(event.target.value)}
        onKeyDown={event => {
          if ((event.ctrlKey || event.metaKey) && event.key === 's') {
            event.preventDefault()
            void save()
          }
        }}
      />
      {isChanged && (
        <div className="source-actions">
          <button type="button" className="primary" onClick={() => void save()}>
            Save
          </button>
          <button type="button" className="plain" onClick={() => setDraft(undefined)}>
            Discard
          </button>
        </div>
      )}
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <ul className="diagnostics" aria-label="What is wrong with it">
        {found.map(one => (
          <li key={JSON.stringify(one)} data-severity={one.severity}>
            <span className="diagnostics-kind">{one.severity === 'error' ? 'Error' : 'Warning'}</span> {one.message}
            {one.cure !== undefined && <span className="quiet"> {one.cure}</span>}
          </li>
        ))}
      </ul>
    </>
  )
}

function ModelView({ document, stamp }: { document: string; stamp: string }): ReactNode {
  const wishes = useWishes(document)
  const [preview, setPreview] = useState<Preview>()
  const [problem, setProblem] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new stamp is a reason to load
  useEffect(() => {
    api.preview(document, wishes).then(setPreview, (error: unknown) => setProblem(String(error)))
  }, [document, stamp, wishes])
  if (problem !== undefined) return <p className="problem">{problem}</p>
  if (preview === undefined) return <p className="quiet">Looking …</p>
  const { model, syntax, tokens, messages, tools } = preview
  if (preview.diagnostics.some(({ severity }) => severity === 'error')) {
    return <p className="problem">The document has errors, so nothing is sent. They are listed below its source.</p>
  }
  return (
    <div className="model-view">
      <p className="quiet">
        {model} · {syntax}
        {tokens !== undefined && ` · about ${tokens.toLocaleString('en')} tokens`}
        {tools.length > 0 && ` · ${tools.map(({ name }) => name).join(', ')}`}
      </p>
      {messages
        .filter(({ sent }) => sent)
        .map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no names here
          <section key={index}>
            <h2>{message.role}</h2>
            {message.pieces.map((piece, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: nor have pieces
              <div key={at} className="piece" data-added={piece.added}>
                <p className="quiet">
                  {piece.origin}
                  {piece.tokens !== undefined && ` · ${piece.tokens} tokens`}
                </p>
                <pre>{piece.text}</pre>
              </div>
            ))}
          </section>
        ))}
    </div>
  )
}
