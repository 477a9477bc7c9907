import { visibleLine } from '@argot/core/stream/internal'
import type { DocumentEntry } from '@argot/server/api'
import { type KeyboardEvent, type ReactNode, useCallback, useMemo, useRef, useState } from 'react'
import { Icon } from '../frame/icon.tsx'
import { isStrings, useStoredSetting } from '../frame/stored-setting.ts'
import { useFirstRows } from '../frame/use-first-rows.ts'
import { inboxHref } from '../frame/use-route.ts'
import { useWords } from '../locale/words.ts'
import type { DocumentList } from '../server/use-documents.ts'
import { arrangeDocuments, type DocumentRow } from './arrange-documents.ts'
import type { DocumentActions } from './document-actions.tsx'
import { DocumentLink } from './document-link.tsx'
import { RowMenu } from './row-menu.tsx'
import { SearchHits } from './search-hits.tsx'

export interface DocumentsPaneProps {
  documents: DocumentList
  actions: DocumentActions
  current: string | undefined
  isInboxOpen: boolean
  onNew: () => void
  onPick: () => void
  onKeys: () => void
  onClose: () => void
}

export function DocumentsPane(props: DocumentsPaneProps): ReactNode {
  const { documents, actions, current, isInboxOpen, onNew, onPick, onKeys, onClose } = props
  const [search, setSearch] = useState('')
  const [closed, setClosed] = useStoredSetting<readonly string[]>('closed folders', [], isStrings)
  const [menu, setMenu] = useState<{ entry: DocumentEntry; anchor: HTMLElement }>()
  const list = useRef<HTMLUListElement>(null)
  const words = useWords()
  const terms = search.toLowerCase().split(/\s+/).filter(Boolean)
  const isSearch = terms.length > 0
  const { list: entries = [], runs, total, isComplete } = documents
  const { pinned } = actions
  const all = useMemo(() => arrangeDocuments(entries, { pinned, closed }), [entries, pinned, closed])
  const matches = isSearch ? entries.filter(entry => terms.every(term => toSearchText(entry).includes(term))) : []
  const { rows, end, hasMore } = useFirstRows(isSearch ? matches.map(toRow) : all)
  const openMenu = useCallback((entry: DocumentEntry, anchor: HTMLElement) => setMenu({ entry, anchor }), [])
  const closeMenu = useCallback(() => setMenu(undefined), [])
  const pick = useRef(onPick)
  pick.current = onPick
  const stablePick = useCallback(() => pick.current(), [])
  const toggleFolder = (folder: string): void =>
    setClosed(closed.includes(folder) ? closed.filter(one => one !== folder) : [...closed, folder])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && search !== '') {
      event.stopPropagation()
      setSearch('')
    }
    const first = list.current?.querySelector<HTMLElement>('[data-row]')
    if (event.key === 'Enter') first?.click()
    if (event.key !== 'ArrowDown') return
    event.preventDefault()
    first?.focus()
  }
  const onRowKey = (event: KeyboardEvent<HTMLUListElement>): void => {
    moveFocus(event)
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-row]')
    const entry = entries.find(({ path }) => path === row?.dataset.path)
    if (row === null || entry === undefined) return
    const isMenuKey = event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)
    const act = isMenuKey
      ? () => openMenu(entry, row)
      : event.key === 'F2'
        ? () => actions.rename(entry)
        : event.key === 'Delete'
          ? () => {
              neighbour(row)?.focus()
              void actions.remove(entry)
            }
          : undefined
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  return (
    <nav className="documents" aria-label={words.documents.title}>
      <div className="sheet-head">
        <span>{words.documents.title}</span>
        <button type="button" className="button" data-kind="quiet" onClick={onClose}>
          {words.close}
        </button>
      </div>
      <div className="side-head">
        <h2 title={documents.folder}>{documents.folder ?? 'Argot'}</h2>
        <button type="button" className="icon-button" aria-label={words.documents.new} onClick={onNew}>
          <Icon name="plus" />
        </button>
      </div>
      <div className="side-search">
        <input
          type="search"
          className="field"
          value={search}
          placeholder={words.documents.search}
          aria-label={words.documents.search}
          autoComplete="off"
          spellCheck={false}
          onChange={event => setSearch(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <InboxLink count={documents.waiting} isOpen={isInboxOpen} onPick={onPick} />
      <ul ref={list} onKeyDown={onRowKey}>
        {rows.map(row => (
          <li key={row.key} data-kind={row.kind}>
            {row.kind === 'heading' && <h3>{words.conversations[row.key]}</h3>}
            {row.kind === 'folder' && (
              <button
                type="button"
                className="folder"
                data-row
                aria-expanded={row.isOpen}
                onClick={() => toggleFolder(row.folder)}
                onKeyDown={event => {
                  const isRightToLeft = getComputedStyle(event.currentTarget).direction === 'rtl'
                  const other = row.isOpen === isRightToLeft ? 'ArrowRight' : 'ArrowLeft'
                  if (event.key === other) toggleFolder(row.folder)
                }}
              >
                <Icon name={row.isOpen ? 'down' : 'right'} />
                <span className="row-title">{visibleLine(row.folder)}</span>
                <span className="meta">{words.number(row.count)}</span>
              </button>
            )}
            {row.kind === 'document' && (
              <DocumentLink
                entry={row.entry}
                run={runs.get(row.entry.path)}
                isCurrent={row.entry.path === current}
                depth={row.depth}
                origin={row.origin}
                isBranch={row.isBranch}
                hasFile={isSearch}
                isMenuOpen={menu?.entry.path === row.entry.path}
                onPick={stablePick}
                onMenu={openMenu}
              />
            )}
          </li>
        ))}
        {isSearch && (
          <SearchHits
            words={search.trim()}
            without={matches}
            current={current}
            onPick={onPick}
            isAlone={rows.length === 0}
          />
        )}
        {hasMore && <li ref={end} className="documents-more" aria-hidden="true" />}
      </ul>
      {menu !== undefined && (
        <RowMenu
          name={words.conversations.menu(visibleLine(menu.entry.title))}
          anchor={menu.anchor}
          commands={actions.commands(menu.entry)}
          onCommand={({ key, act }) => {
            if (key === 'duplicate') onPick()
            Promise.resolve().then(act).catch(actions.fail)
          }}
          onClose={closeMenu}
        />
      )}
      <div className="side-foot">
        <span className="meta" role="status">
          {documents.list !== undefined &&
            (isSearch && isComplete && matches.length > 0
              ? words.documents.matches(matches.length, total)
              : words.documents.count(total))}
        </span>
        <a className="side-link" href="./playground/">
          {words.documents.playground}
        </a>
        <button
          type="button"
          className="icon-button"
          aria-label={words.conversations.trash}
          onClick={actions.openTrash}
        >
          <Icon name="trash" />
        </button>
        <button type="button" className="icon-button" aria-label={words.keys.title} onClick={onKeys}>
          <Icon name="keys" />
        </button>
      </div>
    </nav>
  )
}

function toRow(entry: DocumentEntry): DocumentRow {
  return { kind: 'document', key: entry.path, entry, depth: 0, origin: undefined, isBranch: false }
}

/** The row that gets the focus when this one is removed. */
function neighbour(row: HTMLElement): HTMLElement | undefined {
  const all = [...(row.closest('ul')?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
  const at = all.indexOf(row)
  return all[at + 1] ?? all[at - 1]
}

/** Leads to all questions in all documents. It never moves: users press what appears below a pointer by mistake. */
function InboxLink(props: { count: number; isOpen: boolean; onPick: () => void }): ReactNode {
  const { count, isOpen, onPick } = props
  const { inbox, number } = useWords()
  return (
    <a
      className="inbox-link"
      href={inboxHref}
      aria-current={isOpen ? 'page' : undefined}
      data-waiting={count > 0 || undefined}
      onClick={onPick}
    >
      <span>{inbox.title}</span>
      {count > 0 && (
        <span className="inbox-count">
          {number(count)}
          <span className="argot-hidden"> {inbox.calls(count)}</span>
        </span>
      )}
    </a>
  )
}

function toSearchText({ path, title }: DocumentEntry): string {
  return `${path} ${title}`.toLowerCase()
}

/** Arrows, Home and End move through the list. */
function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row]')]
  const row = document.activeElement?.closest('.row')?.querySelector<HTMLElement>('[data-row]')
  const at = links.indexOf(row ?? (document.activeElement as HTMLElement))
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key]
  if (next === undefined) return
  event.preventDefault()
  links[Math.max(0, Math.min(next, links.length - 1))]?.focus()
}
