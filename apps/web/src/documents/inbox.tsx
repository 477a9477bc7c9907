import { visibleLine } from '@argot/core/stream/internal'
import { argotServerAdapter, ChatProvider, ChatStore, ToolCard, usePendingCalls } from '@argot/react'
import type { RunResource } from '@argot/server/api'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { FileName } from '../frame/file-name.tsx'
import { JoinRuns } from '../frame/join-runs.tsx'
import { type NotificationSetting, NotifyButton } from '../frame/notifications.tsx'
import { toHref } from '../frame/use-route.ts'
import { useWords } from '../locale/words.ts'
import { base } from '../server/api.ts'
import { type DocumentList, waitingCalls } from '../server/use-documents.ts'
import { getWishes } from '../server/wishes.ts'

/** This many documents open immediately; the rest are behind a button. */
const FIRST = 20

/** Every waiting call in every document, with its complete input, to be answered here. */
export function Inbox({
  documents,
  notifying,
}: {
  documents: DocumentList
  notifying: NotificationSetting
}): ReactNode {
  const { inbox: words } = useWords()
  const [limit, setLimit] = useState(FIRST)
  const everWaiting = useRef<readonly RunResource[]>([])
  everWaiting.current = updateRuns(everWaiting.current, documents.runs)
  const root = useRef<HTMLElement>(null)
  useEffect(() => {
    root.current?.focus()
  }, [])
  return (
    <section className="inbox" ref={root} tabIndex={-1} aria-label={words.label}>
      <div className="inbox-column">
        {everWaiting.current.length === 0 && (
          <div className="blank">
            <h2>{words.nothing}</h2>
            <p>{words.nothingHint}</p>
          </div>
        )}
        {everWaiting.current.slice(0, limit).map(run => (
          <WaitingDocument key={run.document} run={run} />
        ))}
        {everWaiting.current.length > limit && (
          <button type="button" className="button" onClick={() => setLimit(limit + FIRST)}>
            {words.showMore(Math.min(FIRST, everWaiting.current.length - limit))}
          </button>
        )}
        <NotifyButton notifying={notifying} />
      </div>
    </section>
  )
}

/**
 * One run for each document that has waited since the inbox was opened, in order of arrival: calls answered here stay in
 * place and show the outcome. Documents that were removed are left out, and renamed ones have their new path.
 */
function updateRuns(before: readonly RunResource[], runs: ReadonlyMap<string, RunResource>): readonly RunResource[] {
  const byId = new Map(Array.from(runs.values(), run => [run.id, run]))
  const waiting = [...runs.values()]
    .filter(run => waitingCalls(run) > 0)
    .sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
  const next = new Map<string, RunResource>()
  for (const { id, document } of [...before, ...waiting]) {
    const run = byId.get(id) ?? runs.get(document)
    if (run !== undefined && !next.has(run.document)) next.set(run.document, run)
  }
  return [...next.values()]
}

function WaitingDocument({ run }: { run: RunResource }): ReactNode {
  const { document: path } = run
  const store = useMemo(() => {
    const adapter = argotServerAdapter({ document: path, url: base, run: () => getWishes(path) })
    return new ChatStore({ adapter, conversationId: `${path} in the inbox` })
  }, [path])
  return (
    <section className="inbox-document" aria-label={visibleLine(path)}>
      <h2>
        <a href={toHref(path)}>
          <FileName path={path} />
        </a>
      </h2>
      <ChatProvider store={store} adapter={store.adapter}>
        <JoinRuns run={run} store={store} />
        <WaitingCalls />
      </ChatProvider>
    </section>
  )
}

function WaitingCalls(): ReactNode {
  const pending = usePendingCalls()
  const everPending = useRef<string[]>([])
  for (const { callKey } of pending) if (!everPending.current.includes(callKey)) everPending.current.push(callKey)
  return (
    <div className="argot-pane inbox-calls">
      {everPending.current.map(callKey => (
        <ToolCard key={callKey} callKey={callKey} />
      ))}
    </div>
  )
}
