import { visibleLine } from '@argot/core/stream/internal'
import { LocaleContext } from '@argot/react'
import { type CSSProperties, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Conversation } from './conversation/conversation.tsx'
import { type Command, documentCommands } from './documents/commands.ts'
import { useDocumentActions } from './documents/document-actions.tsx'
import { DocumentsPane } from './documents/documents-pane.tsx'
import { Inbox } from './documents/inbox.tsx'
import { LostServer } from './documents/lost-server.tsx'
import { NoDocuments, NoSuchDocument } from './documents/no-document.tsx'
import { isBoolean, isNumber, useKept } from './frame/kept.ts'
import { useNotify } from './frame/notify.tsx'
import { goTo, hrefOf, inboxHref, useRoute } from './frame/use-route.ts'
import { Header } from './header/header.tsx'
import { KeysDialog } from './keys-dialog.tsx'
import { useLanguage } from './locale/words.ts'
import { TimeMachine } from './machine/time-machine.tsx'
import { useDocuments } from './server/use-documents.ts'
import { useSettings } from './server/use-settings.ts'
import { SourcePane } from './source/source-pane.tsx'
import { usePageKeys } from './use-page-keys.ts'

const NewDocumentDialog = lazy(async () => {
  const { NewDocumentDialog } = await import('./documents/new-document-dialog.tsx')
  return { default: NewDocumentDialog }
})

/** Wide enough for the source beside the conversation. */
const wide = '(min-width: 77.5rem)'

/** The page in the language of its reader. */
export function App(): ReactNode {
  const { chat } = useLanguage()
  return (
    <LocaleContext.Provider value={chat}>
      <Page />
    </LocaleContext.Provider>
  )
}

/** The whole page: documents, conversation, source. */
function Page(): ReactNode {
  const documents = useDocuments()
  const { list, runs, waiting } = documents
  const { document, run: replayed, isInbox } = useRoute()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const source = useSourceOpen()
  const [isSideHidden, setSideHidden] = useKept('no documents', false, isBoolean)
  const [sourceWidth, setSourceWidth] = useKept<number | undefined>('source width', undefined, isNumber)
  const [enterIsNewLine, setEnterIsNewLine] = useKept('enter is a new line', false, isBoolean)
  const [problem, setProblem] = useState<string>()
  const [isFinding, setFinding] = useState(false)
  const [isKeysOpen, setKeysOpen] = useState(false)
  const search = useRef<HTMLInputElement>(null)
  const entry = list?.find(({ path }) => path === document)
  const run = document === undefined ? undefined : runs.get(document)
  const settings = useSettings(entry?.path, entry?.state === 'running' ? 'running' : (entry?.updatedAt ?? ''))
  const [isMaking, setMaking] = useState(false)
  const actions = useDocumentActions(documents, document)
  const makeNew = (): void => setMaking(true)
  // The first document is open at once: nobody should have to choose on the first visit.
  useEffect(() => {
    if (document === undefined && !isInbox && list?.[0] !== undefined) location.replace(hrefOf(list[0].path))
  }, [document, isInbox, list])
  useEffect(() => {
    const name = visibleLine(document?.replace(/^.*\//, '') ?? 'Argot')
    const mark = waiting > 0 ? '● Needs you – ' : isInbox ? 'Nothing needs you – ' : ''
    window.document.title = isInbox ? `${mark}Argot` : `${mark}${name} – Argot`
  }, [document, isInbox, waiting])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another document is another conversation to search
  useEffect(() => {
    setFinding(false)
    setProblem(undefined)
  }, [document])
  useNotify(waiting)
  const toggleSide = (): void => {
    if (matchMedia(wide).matches) setSideHidden(!isSideHidden)
    else setMenuOpen(is => !is)
  }
  usePageKeys({
    documents: toggleSide,
    search: () => {
      // At once: the next key belongs to the search already.
      flushSync(() => {
        if (matchMedia(wide).matches) setSideHidden(false)
        else setMenuOpen(true)
      })
      search.current?.focus()
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
  const isConversing = isTalking && (entry !== undefined || !documents.isComplete)
  const ofDocument: readonly Command[] =
    entry === undefined
      ? []
      : [
          ...(isTalking ? [{ key: 'find', label: 'Find in the conversation', act: () => setFinding(true) }] : []),
          ...documentCommands(entry.path),
          ...actions.commands(entry),
        ]
  const commands: readonly Command[] = [
    { key: 'new', label: 'New document', act: makeNew },
    ...(isTalking ? [{ key: 'source', label: 'Source', act: () => source.set(!source.isOpen) }] : []),
    ...ofDocument,
    { key: 'keys', label: 'Keyboard shortcuts', act: () => setKeysOpen(true) },
  ]
  const runCommand = ({ act }: Command): void => {
    setMenuOpen(false)
    setProblem(undefined)
    Promise.resolve()
      .then(act)
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
  }
  const isSourceShown = source.isOpen && isTalking && entry !== undefined
  // While the documents are loaded, the source has its place already: the conversation does not move when it comes.
  const hasSourcePlace = source.isOpen && isConversing
  return (
    <div
      className="page argot"
      data-menu={isMenuOpen || undefined}
      data-source={hasSourcePlace || undefined}
      data-alone={isSideHidden || undefined}
      style={sourceWidth === undefined ? undefined : ({ '--source-width': `${sourceWidth}px` } as CSSProperties)}
    >
      <div className="side">
        <DocumentsPane
          documents={documents}
          actions={actions}
          current={document}
          isInboxOpen={isInbox}
          ref={search}
          commands={commands}
          onCommand={runCommand}
          onNew={() => runCommand(commands[0]!)}
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
          isReplay={replayed !== undefined}
          isSourceOpen={source.isOpen}
          onMenu={toggleSide}
          onSource={() => source.set(!source.isOpen)}
          commands={ofDocument}
          onCommand={runCommand}
        />
        {problem !== undefined && (
          <p className="head-problem problem" role="alert">
            {problem}
          </p>
        )}
        {!isConversing && <LostServer documents={documents} />}
        {isInbox && list !== undefined && <Inbox documents={documents} />}
        {isConversing && (
          <Conversation
            key={document}
            document={document}
            stamp={entry?.updatedAt ?? ''}
            run={run}
            settings={settings}
            enterIsNewLine={enterIsNewLine}
            find={{ isOpen: isFinding, onOpen: setFinding }}
            notice={<LostServer documents={documents} isInBox />}
          />
        )}
        {document !== undefined && replayed !== undefined && (
          <TimeMachine key={replayed} document={document} run={replayed} />
        )}
        {list?.length === 0 && !isInbox && <NoDocuments onNew={makeNew} onMade={documents.reload} />}
        {document !== undefined && documents.isComplete && documents.total > 0 && entry === undefined && (
          <NoSuchDocument document={document} />
        )}
      </main>
      {isSourceShown && (
        <SourcePane
          key={document}
          document={document}
          stamp={entry.updatedAt}
          isBeingWritten={entry.state === 'running'}
          isLive={entry.state === 'running' || entry.state === 'waiting'}
          width={sourceWidth}
          onWidth={setSourceWidth}
          onClose={() => source.set(false)}
        />
      )}
      {actions.view}
      {isMaking && (
        <Suspense>
          <NewDocumentDialog
            documents={list ?? []}
            onMade={path => {
              documents.reload()
              setMaking(false)
              setMenuOpen(false)
              goTo(path)
            }}
            onClose={() => setMaking(false)}
          />
        </Suspense>
      )}
      {isKeysOpen && (
        <KeysDialog
          enterIsNewLine={enterIsNewLine}
          onEnterIsNewLine={setEnterIsNewLine}
          onClose={() => setKeysOpen(false)}
        />
      )}
    </div>
  )
}

/** Closed until someone opens it; beside the conversation it then stays open, and over it only until it is closed. */
function useSourceOpen(): { isOpen: boolean; set: (isOpen: boolean) => void } {
  const [isWanted, setWanted] = useKept('source', false, isBoolean)
  const [isOpen, setOpen] = useState(() => isWanted && matchMedia(wide).matches)
  const set = (next: boolean): void => {
    setOpen(next)
    if (matchMedia(wide).matches) setWanted(next)
  }
  return { isOpen, set }
}
