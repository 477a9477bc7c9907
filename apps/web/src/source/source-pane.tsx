import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { Icon } from '../frame/icon.tsx'
import { useWords } from '../locale/words.ts'
import { ModelView } from './model-view.tsx'
import { Resizer, type ResizerProps } from './resizer.tsx'
import { SourceText, type SourceTextProps } from './source-text.tsx'

export interface PageSourcePaneProps extends SourceTextProps, ResizerProps {
  onClose: () => void
}

const tabs = [
  { name: 'source', label: 'title' },
  { name: 'model', label: 'modelTab' },
] as const

export function SourcePane(props: PageSourcePaneProps): ReactNode {
  const { document, stamp, isBeingWritten, isLive, width, onWidth, onClose } = props
  const { close, source: words } = useWords()
  const [tab, setTab] = useState<'source' | 'model'>('source')
  const id = useId()
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
    event.preventDefault()
    const next = tab === 'source' ? 'model' : 'source'
    setTab(next)
    window.document.getElementById(`${id}-${next}`)?.focus()
  }
  return (
    <aside className="source" aria-label={words.title}>
      <Resizer width={width} onWidth={onWidth} />
      <div className="sheet-head">
        <span>{words.title}</span>
        <button type="button" className="button" data-kind="quiet" onClick={onClose}>
          {close}
        </button>
      </div>
      <div className="source-head">
        <div role="tablist" aria-label={words.view}>
          {tabs.map(({ name, label }) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`${id}-${name}`}
              aria-selected={tab === name}
              aria-controls={`${id}-panel`}
              tabIndex={tab === name ? 0 : -1}
              className="argot-pick"
              onClick={() => setTab(name)}
              onKeyDown={onKeyDown}
            >
              {words[label]}
            </button>
          ))}
        </div>
        <button type="button" className="icon-button" aria-label={words.close} onClick={onClose}>
          <Icon name="cross" />
        </button>
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tab}`} className="source-body">
        {tab === 'source' ? (
          <SourceText document={document} stamp={stamp} isBeingWritten={isBeingWritten} isLive={isLive} />
        ) : (
          <ModelView document={document} stamp={isBeingWritten ? 'running' : stamp} />
        )}
      </div>
    </aside>
  )
}
