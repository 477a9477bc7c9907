import type { RunResource } from '@argot/server/api'
import './time-machine.css'
import type { LogLine } from '@argot/core/stream'
import { ChatBox, ChatProvider, ChatStore, type ReplayAdapter, replayAdapter } from '@argot/react'
import type { ChatMessage } from '@argot/react/types'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { copyLink } from '../frame/copy-link.ts'
import { openPolicy } from '../frame/open-policy.ts'
import { goTo, type Moment, momentHref, toHref } from '../frame/use-route.ts'
import { useWords, words } from '../locale/words.ts'
import { api, base } from '../server/api.ts'
import { Choice } from './choice.tsx'
import { ChunkList } from './chunk-list.tsx'
import { Deck } from './deck.tsx'
import { forkAt } from './fork-at.ts'
import { findMessageId, readLog } from './run-log.ts'
import { useAddress, useMoment } from './use-moment.ts'

const MESSAGES_BEFORE = 20

export interface TimeMachineProps {
  document: string
  run: string
  moment: Moment
}

interface Recording {
  adapter: ReplayAdapter
  lines: readonly LogLine[]
  messageId: string
  before: readonly ChatMessage[]
}

export function TimeMachine({ document, run, moment }: TimeMachineProps): ReactNode {
  const [recording, setRecording] = useState<Recording>()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    let isMounted = true
    load(document, run).then(
      loaded => isMounted && setRecording(loaded),
      (error: unknown) => isMounted && setProblem(error instanceof Error ? error.message : String(error)),
    )
    return () => {
      isMounted = false
    }
  }, [document, run])
  if (problem !== undefined) {
    return (
      <div className="blank">
        <h2>{words().moments.heading}</h2>
        <p className="failed" role="alert">
          {problem}
        </p>
        <div className="acts">
          <a className="button" href={toHref(document)}>
            {words().moments.open}
          </a>
        </div>
      </div>
    )
  }
  if (recording === undefined) return null
  return <Machine recording={recording} document={document} run={run} moment={moment} />
}

async function load(document: string, run: string): Promise<Recording> {
  const lines = await readLog(base, run)
  const messageId = findMessageId(lines)
  if (messageId === undefined) throw new Error(words().machine.saidNothing)
  const adapter = replayAdapter(lines, { paused: true, stays: true })
  return { adapter, lines, messageId, before: await messagesBefore(document, messageId) }
}

/** The messages before the run. A document that has changed since may no longer have the run's message. */
async function messagesBefore(document: string, messageId: string): Promise<ChatMessage[]> {
  for await (const page of api.messages(document)) {
    const at = page.findIndex(({ id }) => id === messageId)
    if (at >= 0) return page.slice(Math.max(0, at - MESSAGES_BEFORE), at)
  }
  return []
}

function Machine({ recording, document, run, moment }: TimeMachineProps & { recording: Recording }): ReactNode {
  const { adapter, lines, messageId, before } = recording
  const { player } = adapter
  const [isFinding, setFinding] = useState(false)
  const store = useMemo(
    () => new ChatStore({ adapter, initialMessages: before, now: player.now }),
    [adapter, before, player],
  )
  // The conversation's clock follows the moment, once the whole moment has been read.
  useEffect(() => player.subscribe(() => requestAnimationFrame(store.clock.tick)), [player, store])
  const { call, chunk } = moment
  const momentProblem = useMoment(player, { call, chunk })
  useAddress(player, document, run)
  const downloadLog = (): void => {
    const text = lines.map(line => `${JSON.stringify(line)}\n`).join('')
    const link = window.document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }))
    link.download = `${run}.jsonl`
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
  }
  return (
    <ChatProvider store={store} adapter={adapter}>
      <div className="machine">
        <ChatBox
          className="machine-box"
          slotProps={{ messageContent: { partProps: { tool: openPolicy } } }}
          find={{ isOpen: isFinding, onOpen: setFinding }}
        />
        <ChunkList player={player} />
        <Deck
          player={player}
          messageId={messageId}
          runs={<RunPicker document={document} run={run} />}
          note={momentProblem}
          onLink={() => copyLink(momentHref(document, run, { chunk: player.position().chunk }))}
          onExport={downloadLog}
          onClose={() => goTo(document)}
          onFork={async message => goTo(await forkAt(document, messageId, message))}
        />
      </div>
    </ChatProvider>
  )
}

function RunPicker({ document, run }: { document: string; run: string }): ReactNode {
  const { machine } = useWords()
  const [runs, setRuns] = useState<readonly RunResource[]>([])
  useEffect(() => {
    api.runs(document).then(setRuns, () => {})
  }, [document])
  if (runs.length < 2) return null
  return (
    <Choice name={machine.run} value={run} onChange={id => goTo(document, id)}>
      {runs.map(({ id, startedAt, state }) => (
        <option key={id} value={id}>
          {`${machine.runTime(new Date(startedAt))} · ${machine.runStates[state]}`}
        </option>
      ))}
    </Choice>
  )
}
