import { type ReactNode, useEffect, useRef, useState } from 'react'
import { CopyButton } from '../bodies/copy-button.tsx'
import { Diff } from '../bodies/diff.tsx'
import { Highlight } from '../bodies/highlight.tsx'
import type { OpenedSource } from '../bodies/open-source.tsx'
import { AllOfIt } from '../bodies/terminal-body.tsx'
import { WholeText } from '../bodies/text-body.tsx'
import { useLocale } from '../locale/locale-context.ts'
import { markText } from './mark-text.ts'

/** Texts up to this length are highlighted; longer ones are drawn in blocks. */
const short = 30_000

export interface SourcePaneProps {
  source: OpenedSource
  onClose: () => void
}

/** Something long in a pane of its own over the chat, all of it, with a search. */
export default function SourcePane({ source, onClose }: SourcePaneProps): ReactNode {
  const { box, body } = useLocale()
  const dialog = useRef<HTMLDialogElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const [count, setCount] = useState(0)
  useEffect(() => {
    dialog.current?.showModal()
    return () => void markText(undefined, '')
  }, [])
  useEffect(() => setCount(markText(content.current ?? undefined, query, at)), [query, at])
  const go = (step: number): void => {
    if (count > 0) setAt((at + step + count) % count)
  }
  return (
    <dialog ref={dialog} className="argot-source" aria-label={source.name} onClose={onClose}>
      <div className="argot-source-head">
        <h2 className="argot-box-name">{source.name}</h2>
        <search className="argot-find">
          <input
            className="argot-field"
            type="search"
            aria-label={box.findHere}
            placeholder={box.findHere}
            value={query}
            onChange={event => {
              setQuery(event.target.value)
              setAt(0)
            }}
            onKeyDown={event => {
              if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
              event.preventDefault()
              go(event.shiftKey ? -1 : 1)
            }}
          />
          <output className="argot-num">{query === '' ? '' : box.found(at + 1, count)}</output>
        </search>
        <CopyButton name={source.name} value={() => textOf(source)}>
          {body.copy}
        </CopyButton>
        <button type="button" className="argot-link" onClick={() => dialog.current?.close()}>
          {box.close}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div ref={content} className="argot-source-body" tabIndex={0}>
        {source.kind === 'diff' ? (
          <Diff {...source} lines={Number.POSITIVE_INFINITY} />
        ) : (
          <pre>
            {source.kind === 'terminal' ? (
              <AllOfIt text={source.text} />
            ) : source.text.length > short ? (
              <WholeText text={source.text} />
            ) : (
              <Highlight text={source.text} path={source.name} />
            )}
          </pre>
        )}
      </div>
    </dialog>
  )
}

function textOf(source: OpenedSource): string {
  return source.kind === 'diff' ? (source.diff ?? source.after ?? '') : source.text
}
