import './more-menu.css'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { api } from './api.ts'
import type { ExportFormat } from './export/export-file.ts'
import { exportDocument } from './export-document.ts'
import { goTo } from './use-route.ts'

const exports: readonly { format: ExportFormat; name: string }[] = [
  { format: 'html', name: 'Export as HTML' },
  { format: 'markdown', name: 'Export as Markdown' },
  { format: 'json', name: 'Export as JSON' },
  { format: 'chatmd', name: 'Export the document' },
]

/** What can be done with a document as a whole. */
export function MoreMenu({ document }: { document: string }): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const [problem, setProblem] = useState<string>()
  const button = useRef<HTMLButtonElement>(null)
  const choose = (act: () => Promise<void>): void => {
    setOpen(false)
    setProblem(undefined)
    button.current?.focus()
    act().catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
  }
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.key === 'Escape' && isOpen) {
      event.preventDefault()
      setOpen(false)
      button.current?.focus()
      return
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>('.more-menu button')]
    const at = items.indexOf(window.document.activeElement as HTMLElement)
    event.preventDefault()
    items.at((at + (event.key === 'ArrowDown' ? 1 : at < 0 ? 0 : -1)) % items.length)?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the buttons inside
    <div
      className="more"
      onKeyDown={onKeyDown}
      onBlur={event => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false)
      }}
    >
      <button
        ref={button}
        type="button"
        className="plain"
        aria-label="More"
        aria-expanded={isOpen}
        onClick={() => setOpen(is => !is)}
      >
        <svg className="argot-glyph" viewBox="0 0 16 16" aria-hidden="true">
          <circle className="argot-glyph-solid" cx="3" cy="8" r="1.25" />
          <circle className="argot-glyph-solid" cx="8" cy="8" r="1.25" />
          <circle className="argot-glyph-solid" cx="13" cy="8" r="1.25" />
        </svg>
      </button>
      {isOpen && (
        <div className="more-menu">
          <button type="button" className="plain" onClick={() => choose(() => replayNewest(document))}>
            Replay
          </button>
          {exports.map(({ format, name }) => (
            <button
              key={format}
              type="button"
              className="plain"
              onClick={() => choose(() => exportDocument(document, format))}
            >
              {name}
            </button>
          ))}
        </div>
      )}
      {problem !== undefined && (
        <p className="more-menu problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

/** Opens the time machine at the newest run of a document. */
async function replayNewest(document: string): Promise<void> {
  const [newest] = await api.runs(document)
  if (newest === undefined) throw new Error('This document has no run yet.')
  goTo(document, newest.id)
}
