import {
  argotServerAdapter,
  ChatBox,
  type ChatBoxFind,
  ChatProvider,
  type ChatProviderProps,
  ChatStore,
} from '@argot/react'
import type { DocumentSettings, RunResource } from '@argot/server/api'
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import { JoinRuns } from '../frame/join-runs.tsx'
import { registerConversation } from '../frame/open-conversation.ts'
import { goTo } from '../frame/use-route.ts'
import { english } from '../locale/english.ts'
import { useWords } from '../locale/words.ts'
import { base } from '../server/api.ts'
import { useRelax } from '../server/use-relax.ts'
import { getWishes, useWishes, wish } from '../server/wishes.ts'
import { ApprovalPicker } from './approval-picker.tsx'
import { withCallLink } from './call-link.tsx'
import { DiskChanges } from './disk-changes.tsx'
import { RelaxMark } from './relax-mark.tsx'
import { StartNote } from './start-note.tsx'
import { useStoredDraft } from './use-stored-draft.ts'

export interface ConversationProps {
  document: string
  /** Changes whenever the file does. */
  stamp: string
  /** The document's newest run, as far as this page has received events. */
  run: RunResource | undefined
  settings: DocumentSettings | undefined
  enterIsNewLine: boolean
  find: ChatBoxFind
  folder: string | undefined
  notice: ReactNode
}

export function Conversation(props: ConversationProps): ReactNode {
  const [load, setLoad] = useState({ count: 0, draft: '' })
  return (
    <LoadedConversation
      key={load.count}
      {...props}
      draft={load.draft}
      onReload={draft => setLoad({ count: load.count + 1, draft })}
    />
  )
}

interface LoadedConversationProps extends ConversationProps {
  /** The unsent text from before the document was loaded again. */
  draft: string
  onReload: (draft: string) => void
}

function LoadedConversation(props: LoadedConversationProps): ReactNode {
  const { document, stamp, run, settings, enterIsNewLine, find, folder, notice, draft, onReload } = props
  const store = useMemo(
    () =>
      new ChatStore({
        adapter: argotServerAdapter({ document, url: base, run: () => getWishes(document) }),
        conversationId: document,
      }),
    [document],
  )
  useEffect(() => store.draft.set(draft), [store, draft])
  useStoredDraft(document, store)
  useEffect(() => registerConversation(document, store), [document, store])
  const relax = useRelax(document, run?.state ?? '', settings?.allowsRelax === true)
  const { model: pickedModel } = useWishes(document)
  const { conversation: words } = useWords()
  const model = pickedModel ?? settings?.model
  const composer = {
    placeholder: words.placeholder,
    enterIsNewLine,
    tools: <ApprovalPicker document={document} usual={settings?.approve ?? 'ask'} relax={relax} root={folder} />,
  }
  const tool = useMemo(() => withCallLink(document), [document])
  const onBranch: NonNullable<ChatProviderProps['onBranch']> = useCallback(
    ({ conversationId, isNew, ...wishes }) => {
      // The branch continues with the settings of the retry.
      if (isNew) wish(conversationId, { ...getWishes(document), ...wishes })
      goTo(conversationId)
    },
    [document],
  )
  return (
    <ChatProvider store={store} adapter={store.adapter} onBranch={onBranch}>
      <JoinRuns run={run} store={store} />
      <RelaxMark relax={relax} root={folder} />
      <DiskChanges
        document={document}
        stamp={stamp}
        run={run}
        store={store}
        onReload={() => onReload(store.draft.get())}
      />
      {pickedModel === undefined && settings?.problem !== undefined && (
        <p className="bar" role="status">
          {settings.problem}
        </p>
      )}
      <ChatBox
        // The demo model follows an English script.
        suggestions={words.suggestions.map((label, index) => ({
          label,
          text: model === 'demo' ? english.conversation.suggestions[index]! : label,
        }))}
        emptyNote={
          <>
            <StartNote document={document} stamp={stamp} />
            <DemoNote model={model} />
          </>
        }
        slotProps={{ composer, messageContent: { partProps: { tool } } }}
        find={find}
        notice={notice}
      />
    </ChatProvider>
  )
}

function DemoNote({ model }: { model: string | undefined }): ReactNode {
  const { demo } = useWords().conversation
  if (model !== 'demo') return null
  return (
    <p className="demo-note">
      {demo.split('`').map((piece, index) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a sentence have no names
        index % 2 === 1 ? <code key={index}>{piece}</code> : <span key={index}>{piece}</span>,
      )}
    </p>
  )
}
