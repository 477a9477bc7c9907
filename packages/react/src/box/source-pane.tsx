import { type ReactNode, useEffect, useRef, useState } from 'react'
import { CopyButton } from '../bodies/copy-button.tsx'
import type { OpenedSource } from '../bodies/open-source-context.ts'
import { useChatStore } from '../hooks/chat-context.ts'
import { useLocale } from '../locale/frame-locale.ts'
import { markText } from './find/mark-text.ts'
import { bringIntoView } from './log/log-scroll.ts'
import { SourceContent, sourceText } from './source-content.tsx'

export interface SourcePaneProps {
  source: OpenedSource
  onClose: () => void
}

export default function SourcePane({ source, onClose }: SourcePaneProps): ReactNode {
  const { box, card } = useLocale()
  const store = useChatStore()
  const dialog = useRef<HTMLDialogElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const [count, setCount] = useState(0)
  useEffect(() => {
    dialog.current?.showModal()
    return () => void markText(undefined, '')
  }, [])
  useEffect(() => {
    const marks = markText(content.current ?? undefined, query, at)
    if (marks.current !== undefined) bringIntoView(marks.current)
    setCount(marks.count)
  }, [query, at])
  const go = (step: number): void => {
    if (count > 0) setAt((at + step + count) % count)
  }
  return (
    <dialog ref={dialog} className="argot-source" data-part="source-pane" aria-label={source.name} onClose={onClose}>
      <div className="argot-source-head">
        <h2 className="argot-box-name">{source.name}</h2>
        <search className="argot-find">
          <input
            className="argot-field"
            data-part="field"
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
        <CopyButton name={source.name} value={() => sourceText(source, store)}>
          {card.copy}
        </CopyButton>
        <button type="button" className="argot-link" onClick={() => dialog.current?.close()}>
          {box.close}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div ref={content} className="argot-source-body" data-kind={source.kind} tabIndex={0}>
        <SourceContent source={source} />
      </div>
    </dialog>
  )
}
