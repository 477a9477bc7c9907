import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { api, type DocumentEntry, type RunResource } from './api.ts'
import { Conversation } from './conversation.tsx'
import { DocumentsPane } from './documents-pane.tsx'
import { MoreMenu } from './more-menu.tsx'
import { SourcePane } from './source-pane.tsx'
import { TimeMachine } from './time-machine.tsx'
import { useDocuments } from './use-documents.ts'
import { goTo, useRoute } from './use-route.ts'

/** Wide enough for the source beside the conversation. */
const wide = '(min-width: 77.5rem)'

/** The whole page: documents, conversation, source. */
export function App(): ReactNode {
  const documents = useDocuments()
  const { document, run: replayed } = useRoute()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [isSourceOpen, setSourceOpen] = useState(() => matchMedia(wide).matches)
  const search = useRef<HTMLInputElement>(null)
  const entry = documents.list?.find(({ path }) => path === document)
  const run = document === undefined ? undefined : documents.runs.get(document)
  const makeNew = useCallback(async () => {
    const path = `chats/${new Date().toISOString().slice(0, 19).replaceAll(/[T:]/g, '-')}.chatmd`
    await api.write(path, '')
    documents.reload()
    setMenuOpen(false)
    goTo(path)
  }, [documents])
  // The first document is open at once: nobody should have to choose on the first visit.
  useEffect(() => {
    if (document === undefined && documents.list?.[0] !== undefined) location.replace(`#/${documents.list[0].path}`)
  }, [document, documents.list])
  useEffect(() => {
    window.document.title =
      entry === undefined ? 'Argot' : `${entry.state === 'waiting' ? '● ' : ''}${entry.title} · Argot`
  }, [entry])
  useKeys({
    b: () => setMenuOpen(is => !is),
    k: () => {
      setMenuOpen(true)
      requestAnimationFrame(() => search.current?.focus())
    },
  })
  const hasNone = documents.list?.length === 0
  return (
    <div
      className="page argot"
      data-menu={isMenuOpen || undefined}
      data-source={(isSourceOpen && replayed === undefined) || undefined}
    >
      <div className="side">
        <DocumentsPane
          documents={documents}
          current={document}
          ref={search}
          onNew={() => void makeNew()}
          onPick={() => setMenuOpen(false)}
        />
        <button type="button" className="plain side-close" onClick={() => setMenuOpen(false)}>
          Close
        </button>
      </div>
      <main className="middle">
        <Header
          entry={entry}
          run={run}
          document={document}
          isSourceOpen={isSourceOpen}
          onMenu={() => setMenuOpen(is => !is)}
          onSource={() => setSourceOpen(is => !is)}
        />
        {!documents.isConnected && (
          <p className="lost" role="status">
            The server is not answering. What you see is what it said last.
          </p>
        )}
        {documents.error !== undefined && <p className="problem">{documents.error}</p>}
        {document !== undefined && entry !== undefined && replayed === undefined && (
          <Conversation key={document} document={document} run={run} />
        )}
        {document !== undefined && replayed !== undefined && (
          <TimeMachine key={replayed} document={document} run={replayed} />
        )}
        {hasNone && (
          <div className="nothing">
            <h1>This folder has no documents</h1>
            <p>A document is a file that ends with .chatmd: a prompt, and the conversation that follows it.</p>
            <button type="button" className="primary" onClick={() => void makeNew()}>
              New conversation
            </button>
          </div>
        )}
        {document !== undefined && documents.list !== undefined && !hasNone && entry === undefined && (
          <div className="nothing">
            <h1>There is no document “{document}”</h1>
            <p>It may have been moved. Choose another one on the left.</p>
          </div>
        )}
      </main>
      {isSourceOpen && document !== undefined && entry !== undefined && replayed === undefined && (
        <SourcePane key={document} document={document} stamp={entry.updatedAt} onClose={() => setSourceOpen(false)} />
      )}
    </div>
  )
}

interface HeaderProps {
  entry: DocumentEntry | undefined
  run: RunResource | undefined
  document: string | undefined
  isSourceOpen: boolean
  onMenu: () => void
  onSource: () => void
}

const states: Partial<Record<DocumentEntry['state'], string>> = {
  waiting: 'Needs you',
  running: 'Running',
  interrupted: 'Interrupted',
}

function Header({ entry, run, document, isSourceOpen, onMenu, onSource }: HeaderProps): ReactNode {
  const name = document?.replace(/^.*\//, '')
  const tokens = run?.usage.totalTokens ?? 0
  return (
    <header className="head">
      <button type="button" className="plain head-menu" aria-label="Documents" onClick={onMenu}>
        ☰
      </button>
      <h1 title={document}>{name ?? 'Argot'}</h1>
      {entry !== undefined && states[entry.state] !== undefined && (
        <span className="head-state" data-state={entry.state}>
          {states[entry.state]}
        </span>
      )}
      <span className="head-space" />
      {tokens > 0 && <span className="quiet head-tokens">{tokens.toLocaleString('en')} tokens</span>}
      <button type="button" className="plain" aria-pressed={isSourceOpen} onClick={onSource}>
        Source
      </button>
      {document !== undefined && entry !== undefined && <MoreMenu document={document} />}
    </header>
  )
}

/** Ctrl or ⌘ with a letter, anywhere on the page. */
function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const newest = useRef(keys)
  newest.current = keys
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      const act = Object.hasOwn(newest.current, event.key) ? newest.current[event.key] : undefined
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
