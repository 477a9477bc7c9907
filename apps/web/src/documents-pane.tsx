import { type KeyboardEvent, type ReactNode, type Ref, useRef, useState } from 'react'
import type { DocumentEntry } from './api.ts'
import type { Documents } from './use-documents.ts'
import { hrefOf } from './use-route.ts'

const marks: Partial<Record<DocumentEntry['state'], string>> = { waiting: 'needs you', running: 'running' }

export interface DocumentsPaneProps {
  documents: Documents
  current: string | undefined
  onNew: () => void
  onPick: () => void
  ref?: Ref<HTMLInputElement> | undefined
}

/** The documents of the folder, searchable, those that need somebody first. */
export function DocumentsPane({ documents, current, onNew, onPick, ref }: DocumentsPaneProps): ReactNode {
  const [search, setSearch] = useState('')
  const list = useRef<HTMLUListElement>(null)
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const isFound = ({ path, title }: DocumentEntry): boolean =>
    words.every(word => `${path} ${title}`.toLowerCase().includes(word))
  const found = documents.list?.filter(isFound) ?? []
  const waiting = documents.list?.filter(({ state }) => state === 'waiting').length ?? 0
  const intoList = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowDown') return
    event.preventDefault()
    list.current?.querySelector('a')?.focus()
  }
  return (
    <nav className="documents" aria-label="Documents">
      <div className="documents-head">
        <input
          ref={ref}
          type="search"
          value={search}
          placeholder="Search"
          aria-label="Search documents"
          onChange={event => setSearch(event.target.value)}
          onKeyDown={intoList}
        />
        <button type="button" className="plain" onClick={onNew}>
          New
        </button>
      </div>
      {waiting > 0 && (
        <p className="documents-waiting" role="status">
          <span className="mark" data-state="waiting" aria-hidden="true" />
          {waiting === 1 ? 'One document needs you' : `${waiting} documents need you`}
        </p>
      )}
      <ul ref={list} onKeyDown={moveFocus}>
        {found.map(entry => (
          <li key={entry.path}>
            <a
              href={hrefOf(entry.path)}
              aria-current={entry.path === current ? 'page' : undefined}
              title={entry.path}
              onClick={onPick}
            >
              <span className="documents-title">{entry.title}</span>
              <span className="documents-path">{entry.path}</span>
              {marks[entry.state] !== undefined && (
                <span className="mark" data-state={entry.state} role="img" aria-label={marks[entry.state]} />
              )}
            </a>
          </li>
        ))}
      </ul>
      {documents.list !== undefined && found.length === 0 && (
        <p className="quiet">{words.length > 0 ? 'No document has these words.' : 'This folder has no documents.'}</p>
      )}
    </nav>
  )
}

/** Arrows, Home and End go through the list. */
function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const links = [...event.currentTarget.querySelectorAll('a')]
  const at = links.indexOf(document.activeElement as HTMLAnchorElement)
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key]
  if (next === undefined) return
  event.preventDefault()
  links[Math.max(0, Math.min(next, links.length - 1))]?.focus()
}
