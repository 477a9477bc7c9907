import { LocaleContext } from '@argot/react'
import type { DocumentEntry } from '@argot/server/api'
import { type CSSProperties, type ReactNode, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { Conversation } from './conversation/conversation.tsx'
import { type Command, documentCommands } from './documents/commands.ts'
import { useDocumentActions } from './documents/document-actions.tsx'
import { DocumentsPane } from './documents/documents-pane.tsx'
import { Inbox } from './documents/inbox.tsx'
import { LostServer } from './documents/lost-server.tsx'
import { NewDocument } from './documents/new-document.tsx'
import { NoDocuments, NoSuchDocument } from './documents/no-document.tsx'
import { control } from './frame/caps.tsx'
import { useNotificationSetting, useNotifications } from './frame/notifications.tsx'
import { type ConversationCall, focusedCall } from './frame/open-conversation.ts'
import { isBoolean, isNumber, useStoredSetting } from './frame/stored-setting.ts'
import { useTheme } from './frame/theme.ts'
import { useMovedDocument } from './frame/use-moved-document.ts'
import { inboxHref, toHref, useRoute } from './frame/use-route.ts'
import { useTitle } from './frame/use-title.ts'
import { Header } from './header/header.tsx'
import { KeysDialog } from './keys-dialog.tsx'
import { copyFocusedLink, listCommands, listSettings } from './list-commands.ts'
import { useLanguage, words } from './locale/words.ts'
import { TimeMachine } from './machine/time-machine.tsx'
import { Palette } from './palette.tsx'
import { type DocumentList, useDocuments } from './server/use-documents.ts'
import { useSettings } from './server/use-settings.ts'
import { SourcePane } from './source/source-pane.tsx'
import { usePageKeys } from './use-page-keys.ts'

/** Wide enough for the source next to the conversation. */
const wide = '(min-width: 77.5rem)'

export function App(): ReactNode {
  const { chat } = useLanguage()
  return (
    <LocaleContext.Provider value={chat}>
      <Page />
    </LocaleContext.Provider>
  )
}

function Page(): ReactNode {
  const documents = useDocuments()
  const { list, runs, waiting } = documents
  const route = useRoute()
  const { document, run: replayed, moment, isInbox } = route
  const [isMenuOpen, setMenuOpen] = useState(false)
  const source = useSourceOpen()
  const [isSideHidden, setSideHidden] = useStoredSetting('no documents', false, isBoolean)
  const [sourceWidth, setSourceWidth] = useStoredSetting<number | undefined>('source width', undefined, isNumber)
  const [enterIsNewLine, setEnterIsNewLine] = useStoredSetting('enter is a new line', false, isBoolean)
  const [problem, setProblem] = useState<string>()
  const [isFinding, setFinding] = useState(false)
  const [isKeysOpen, setKeysOpen] = useState(false)
  const [palette, setPalette] = useState<{ call: ConversationCall | undefined }>()
  const [theme, setTheme] = useTheme()
  const notifying = useNotificationSetting()
  const entry = list?.find(({ path }) => path === document)
  const run = document === undefined ? undefined : runs.get(document)
  const settings = useSettings(entry?.path, entry?.state === 'running' ? 'running' : (entry?.updatedAt ?? ''))
  const [isMaking, setMaking] = useState(false)
  const actions = useDocumentActions(documents, document)
  const makeNew = (): void => setMaking(true)
  useFirstDocument(document === undefined && !isInbox ? list?.[0]?.path : undefined)
  useTitle({ document, isInbox, waiting, isRunning: entry?.state === 'running' })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another document is another conversation to search
  useEffect(() => {
    setFinding(false)
    setProblem(undefined)
  }, [document])
  useNotifications(waiting, notifying.isOn)
  const toggleSide = (): void => {
    if (matchMedia(wide).matches) setSideHidden(!isSideHidden)
    else setMenuOpen(is => !is)
  }
  usePageKeys({
    documents: toggleSide,
    // Immediately: the next key already belongs to the palette.
    palette: () => {
      const call = focusedCall()
      flushSync(() => setPalette({ call }))
    },
    link: () => act(copyFocusedLink()),
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
  const { isTalking, isConversing, isReplaying, isMissing } = toView(document, replayed, entry, documents)
  useMovedDocument(route, isMissing, runs)
  const find = { key: 'find', label: words().commands.find, keys: `${control} F`, act: () => setFinding(true) }
  const documentActions = entry === undefined ? [] : [...documentCommands(entry.path), ...actions.commands(entry)]
  if (entry !== undefined && isTalking) documentActions.unshift(find)
  const act = (work: () => void | Promise<void>): void => {
    setMenuOpen(false)
    setProblem(undefined)
    Promise.resolve()
      .then(work)
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
  }
  const runCommand = (command: Command): void => act(command.act)
  const commands =
    palette &&
    listCommands({
      call: palette.call,
      run,
      isTalking,
      isSourceOpen: source.isOpen,
      waiting,
      documentActions,
      makeNew,
      toggleSource: () => source.set(!source.isOpen),
      toggleSide,
      showKeys: () => setKeysOpen(true),
    })
  const isSourceShown = source.isOpen && isTalking && entry !== undefined
  // The source's place is reserved while the documents load, so that the conversation does not move when it arrives.
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
          onNew={makeNew}
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
          title={isInbox ? words().inbox.title : undefined}
          run={run}
          settings={settings}
          isReplay={replayed !== undefined}
          isSourceOpen={source.isOpen}
          onMenu={toggleSide}
          onSource={() => source.set(!source.isOpen)}
          commands={documentActions}
          onCommand={runCommand}
        />
        <HeadProblem text={problem} />
        {!isConversing && <LostServer documents={documents} />}
        {isInbox && list !== undefined && <Inbox documents={documents} notifying={notifying} />}
        {isConversing && (
          <Conversation
            key={document}
            document={document!}
            stamp={entry?.updatedAt ?? ''}
            run={run}
            settings={settings}
            enterIsNewLine={enterIsNewLine}
            find={{ isOpen: isFinding, onOpen: setFinding }}
            folder={documents.folder}
            notice={<LostServer documents={documents} isInBox />}
          />
        )}
        {isReplaying && <TimeMachine key={replayed} document={document!} run={replayed!} moment={moment} />}
        {list?.length === 0 && !isInbox && <NoDocuments onNew={makeNew} onMade={documents.reload} />}
        {isMissing && <NoSuchDocument document={document!} />}
      </main>
      {isSourceShown && (
        <SourcePane
          key={document}
          document={entry.path}
          stamp={entry.updatedAt}
          isBeingWritten={entry.state === 'running'}
          isLive={entry.state === 'running' || entry.state === 'waiting'}
          width={sourceWidth}
          onWidth={setSourceWidth}
          onClose={() => source.set(false)}
        />
      )}
      {actions.view}
      <NewDocument
        isOpen={isMaking}
        documents={documents}
        onMade={() => setMenuOpen(false)}
        onClose={() => setMaking(false)}
      />
      {commands !== undefined && (
        <Palette
          documents={list ?? []}
          commands={commands}
          settings={listSettings({ theme, setTheme, notifying, enterIsNewLine, setEnterIsNewLine })}
          onCommand={runCommand}
          onClose={() => setPalette(undefined)}
        />
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

function HeadProblem({ text }: { text: string | undefined }): ReactNode {
  if (text === undefined) return null
  return (
    <p className="head-problem problem" role="alert">
      {text}
    </p>
  )
}

/** What the middle pane shows. Until the documents are listed, a document named in the address is assumed to exist. */
function toView(
  document: string | undefined,
  replayed: string | undefined,
  entry: DocumentEntry | undefined,
  { total, isComplete }: DocumentList,
): Record<'isTalking' | 'isConversing' | 'isReplaying' | 'isMissing', boolean> {
  const isThere = entry !== undefined || !isComplete
  const isTalking = document !== undefined && replayed === undefined
  return {
    isTalking,
    isConversing: isTalking && isThere,
    isReplaying: document !== undefined && replayed !== undefined && isThere,
    isMissing: document !== undefined && !isThere && total > 0,
  }
}

/** Opens the first document immediately, so that a first visit needs no choice. */
function useFirstDocument(path: string | undefined): void {
  useEffect(() => {
    if (path !== undefined) location.replace(toHref(path))
  }, [path])
}

/** Closed until a user opens it. Next to the conversation it then stays open; over it, only until it is closed. */
function useSourceOpen(): { isOpen: boolean; set: (isOpen: boolean) => void } {
  const [isWanted, setWanted] = useStoredSetting('source', false, isBoolean)
  const [isOpen, setOpen] = useState(() => isWanted && matchMedia(wide).matches)
  const set = (next: boolean): void => {
    setOpen(next)
    if (matchMedia(wide).matches) setWanted(next)
  }
  return { isOpen, set }
}
