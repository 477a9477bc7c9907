import { visibleLine } from '@argot/core/stream/internal'
import type { DocumentEntry } from '@argot/server/api'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { FileName } from '../frame/file-name.tsx'
import { Icon } from '../frame/icon.tsx'
import { useFirstRows } from '../frame/use-first-rows.ts'
import { hrefOf, inboxHref } from '../frame/use-route.ts'
import type { Documents } from '../server/use-documents.ts'
import { StateMark } from './state-mark.tsx'

export interface DocumentsPaneProps {
  documents: Documents
  current: string | undefined
  isInboxOpen: boolean
  onNew: () => void
  onPick: () => void
  onKeys: () => void
  onClose: () => void
}

/** The documents of the folder, searchable, those that need somebody first; and what waits in all of them. */
export function DocumentsPane(props: DocumentsPaneProps): ReactNode {
  const { documents, current, isInboxOpen, onNew, onPick, onKeys, onClose } = props
  const [search, setSearch] = useState('')
  const list = useRef<HTMLUListElement>(null)
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const found = documents.list?.filter(entry => words.every(word => textOf(entry).includes(word))) ?? []
  const { rows, end, hasMore } = useFirstRows(found)
  const count = documents.list?.length
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && search !== '') {
      event.stopPropagation()
      setSearch('')
    }
    const first = list.current?.querySelector<HTMLElement>('a, button')
    if (event.key === 'Enter') first?.click()
    if (event.key !== 'ArrowDown') return
    event.preventDefault()
    first?.focus()
  }
  return (
    <nav className="documents" aria-label="Documents">
      <div className="sheet-head">
        <span>Documents</span>
        <button type="button" className="button" data-kind="quiet" onClick={onClose}>
          Close
        </button>
      </div>
      <div className="side-head">
        <h2 title={documents.folder}>{documents.folder ?? 'Argot'}</h2>
        <button type="button" className="icon-button" aria-label="New document" onClick={onNew}>
          <Icon name="plus" />
        </button>
      </div>
      <div className="side-search">
        <input
          type="search"
          className="field"
          value={search}
          placeholder="Search documents"
          aria-label="Search documents"
          autoComplete="off"
          spellCheck={false}
          onChange={event => setSearch(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <InboxLink count={documents.waiting} isOpen={isInboxOpen} onPick={onPick} />
      <ul ref={list} onKeyDown={moveFocus}>
        {rows.map(entry => (
          <li key={entry.path}>
            <a
              href={hrefOf(entry.path)}
              aria-current={entry.path === current ? 'page' : undefined}
              title={`${visibleLine(entry.path)}\n${visibleLine(entry.title)}`}
              onClick={onPick}
            >
              <FileName path={entry.path} />
              {words.length > 0 && <span className="documents-title">{visibleLine(entry.title)}</span>}
              <StateMark entry={entry} run={documents.runs.get(entry.path)} isOpen={entry.path === current} />
            </a>
          </li>
        ))}
        {hasMore && <li ref={end} className="documents-more" aria-hidden="true" />}
      </ul>
      {count !== undefined && count > 0 && found.length === 0 && (
        <p className="documents-none">No document has these words.</p>
      )}
      <div className="side-foot">
        <span className="meta" role="status">
          {countWords(count, words.length > 0 ? found.length : undefined)}
        </span>
        <a className="side-link" href="./playground/">
          Playground
        </a>
        <button type="button" className="icon-button" aria-label="Keyboard shortcuts" onClick={onKeys}>
          <Icon name="keys" />
        </button>
      </div>
    </nav>
  )
}

/** Leads to all questions of all documents. It stays where it is: what appears below a pointer is pressed by mistake. */
function InboxLink(props: { count: number; isOpen: boolean; onPick: () => void }): ReactNode {
  const { count, isOpen, onPick } = props
  return (
    <a
      className="inbox-link"
      href={inboxHref}
      aria-current={isOpen ? 'page' : undefined}
      data-waiting={count > 0 || undefined}
      onClick={onPick}
    >
      <span>Needs you</span>
      {count > 0 && (
        <span className="inbox-count">
          {count}
          <span className="argot-hidden">{count === 1 ? ' call' : ' calls'}</span>
        </span>
      )}
    </a>
  )
}

function textOf({ path, title }: DocumentEntry): string {
  return `${path} ${title}`.toLowerCase()
}

function countWords(count: number | undefined, found: number | undefined): string {
  if (count === undefined) return ''
  if (found !== undefined) return `${found.toLocaleString('en')} of ${count.toLocaleString('en')}`
  return count === 1 ? '1 document' : `${count.toLocaleString('en')} documents`
}

/** Arrows, Home and End go through the list. */
function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('a, button')]
  const at = links.indexOf(document.activeElement as HTMLElement)
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key]
  if (next === undefined) return
  event.preventDefault()
  links[Math.max(0, Math.min(next, links.length - 1))]?.focus()
}
