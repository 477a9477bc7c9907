import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { api } from './api.ts'
import { Conversation } from './conversation.tsx'
import { DocumentsPane } from './documents-pane.tsx'
import { Header } from './header.tsx'
import { Inbox } from './inbox.tsx'
import { KeysDialog } from './keys-dialog.tsx'
import { LostServer } from './lost-server.tsx'
import { NoDocuments, NoSuchDocument } from './no-document.tsx'
import { useNotify } from './notify.tsx'
import { SourcePane } from './source-pane.tsx'
import { TimeMachine } from './time-machine.tsx'
import { useDocuments } from './use-documents.ts'
import { usePageKeys } from './use-page-keys.ts'
import { goTo, inboxHref, useRoute } from './use-route.ts'
import { useSettings } from './use-settings.ts'

/** Wide enough for the source beside the conversation. */
const wide = '(min-width: 77.5rem)'

/** The whole page: documents, conversation, source. */
export function App(): ReactNode {
  const documents = useDocuments()
  const { list, runs, waiting } = documents
  const { document, run: replayed, isInbox } = useRoute()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [isSourceOpen, setSourceOpen] = useState(() => matchMedia(wide).matches)
  const [isKeysOpen, setKeysOpen] = useState(false)
  const search = useRef<HTMLInputElement>(null)
  const entry = list?.find(({ path }) => path === document)
  const run = document === undefined ? undefined : runs.get(document)
  const settings = useSettings(entry?.path, entry?.state === 'running' ? 'running' : (entry?.updatedAt ?? ''))
  const { reload } = documents
  const makeNew = useCallback(async () => {
    const path = `chats/${new Date().toISOString().slice(0, 19).replaceAll(/[T:]/g, '-')}.chatmd`
    await api.write(path, '')
    reload()
    setMenuOpen(false)
    goTo(path)
  }, [reload])
  // The first document is open at once: nobody should have to choose on the first visit.
  useEffect(() => {
    if (document === undefined && !isInbox && list?.[0] !== undefined) location.replace(`#/${list[0].path}`)
  }, [document, isInbox, list])
  useEffect(() => {
    const name = isInbox ? 'Needs you' : (document?.replace(/^.*\//, '') ?? 'Argot')
    window.document.title = `${waiting > 0 ? '● Needs you – ' : ''}${name} – Argot`
  }, [document, isInbox, waiting])
  useNotify(waiting)
  usePageKeys({
    documents: () => setMenuOpen(is => !is),
    search: () => {
      setMenuOpen(true)
      requestAnimationFrame(() => search.current?.focus())
    },
    keys: () => setKeysOpen(is => !is),
    question: () => {
      if (waiting > 0) location.hash = inboxHref
    },
    escape: () => {
      if (!isMenuOpen) return
      setMenuOpen(false)
      window.document.querySelector<HTMLElement>('.head .only-narrow')?.focus()
    },
  })
  const isTalking = document !== undefined && replayed === undefined
  return (
    <div
      className="page argot"
      data-menu={isMenuOpen || undefined}
      data-source={(isSourceOpen && isTalking && entry !== undefined) || undefined}
    >
      <div className="side">
        <DocumentsPane
          documents={documents}
          current={document}
          isInboxOpen={isInbox}
          ref={search}
          onNew={() => void makeNew()}
          onPick={() => setMenuOpen(false)}
          onKeys={() => setKeysOpen(true)}
          onClose={() => setMenuOpen(false)}
        />
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a press beside the sheet closes it, as its button does */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same */}
      <div className="backdrop" onClick={() => setMenuOpen(false)} />
      <main className="middle">
        <Header
          entry={entry}
          title={isInbox ? 'Needs you' : undefined}
          run={run}
          settings={settings}
          isSourceOpen={isSourceOpen}
          onMenu={() => setMenuOpen(is => !is)}
          onSource={() => setSourceOpen(is => !is)}
        />
        <LostServer documents={documents} />
        {isInbox && list !== undefined && <Inbox documents={documents} />}
        {isTalking && (entry !== undefined || list === undefined) && (
          <Conversation key={document} document={document} run={run} settings={settings} />
        )}
        {document !== undefined && replayed !== undefined && (
          <TimeMachine key={replayed} document={document} run={replayed} />
        )}
        {list?.length === 0 && !isInbox && <NoDocuments onNew={() => void makeNew()} onMade={documents.reload} />}
        {document !== undefined && list !== undefined && list.length > 0 && entry === undefined && (
          <NoSuchDocument document={document} />
        )}
      </main>
      {isSourceOpen && isTalking && entry !== undefined && (
        <SourcePane
          key={document}
          document={document}
          stamp={entry.updatedAt}
          isBeingWritten={entry.state === 'running'}
          onClose={() => setSourceOpen(false)}
        />
      )}
      {isKeysOpen && <KeysDialog onClose={() => setKeysOpen(false)} />}
    </div>
  )
}
