import { type ChatStore, Diff } from '@argot/react'
import type { ChatMessage } from '@argot/react/types'
import type { RunResource } from '@argot/server/api'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { takeSave } from '../frame/own-saves.ts'
import { ShowChanges } from '../frame/show-changes.tsx'
import { useWords } from '../locale/words.ts'
import { api } from '../server/api.ts'

/** The events of a run and of the file it wrote arrive one after the other. */
const SETTLE_MS = 500

export interface DiskChangesProps {
  document: string
  /** Changes whenever the file does. */
  stamp: string
  run: RunResource | undefined
  store: ChatStore
  onReload: () => void
}

/** Reports messages in the document that were changed by something other than a run, and lets the reader see them. */
export function DiskChanges({ document, stamp, run, store, onReload }: DiskChangesProps): ReactNode {
  const words = useWords()
  const [onDisk, setOnDisk] = useState<string>()
  const [isShown, setShown] = useState(false)
  const state = `${run?.id} ${run?.state}`
  const handled = useRef({ stamp, state })
  /** Only the newest read's answer applies. */
  const newestRead = useRef(0)
  const reload = useRef(onReload)
  reload.current = onReload
  useEffect(() => {
    const timer = setTimeout(() => {
      const before = handled.current
      handled.current = { stamp, state }
      if (before.stamp === stamp || before.state !== state || store.isRunning) return
      // Messages that arrive while the disk is read are not on it.
      const visibleMessages = store.conversation.messages()
      const readNumber = ++newestRead.current
      const isOwn = takeSave(document)
      api
        .messages(document)
        .next()
        .then(({ value = [] }) => {
          if (readNumber !== newestRead.current) return
          const isOld = !isSame(visibleMessages, value)
          // The reader wants to see what they just saved in the source pane.
          if (isOld && isOwn) reload.current()
          else setOnDisk(isOld ? joinText(value) : undefined)
        })
        .catch(() => {})
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [document, stamp, state, store])
  if (onDisk === undefined) return null
  return (
    <div className="disk" role="status">
      <div className="bar">
        <span>{words.changedOnDisk}</span>
        <span className="acts">
          <ShowChanges isShown={isShown} onToggle={setShown} />
          <button type="button" className="button" data-kind="small" onClick={onReload}>
            {words.reload}
          </button>
        </span>
      </div>
      {isShown && (
        <div className="disk-diff">
          <Diff before={joinText(store.conversation.messages())} after={onDisk} name={words.conversation.diffName} />
        </div>
      )}
    </div>
  )
}

type MessageContent = Pick<ChatMessage, 'role' | 'parts'>

/** Whether the newest messages are the same, as far as both are known. A stream and a file differ in white space. */
function isSame(visible: readonly MessageContent[], onDisk: readonly MessageContent[]): boolean {
  const count = Math.min(visible.length, onDisk.length)
  if (count === 0) return visible.length === onDisk.length
  const words = (all: readonly MessageContent[]): string => joinText(all.slice(-count)).replaceAll(/\s+/g, '')
  return words(visible) === words(onDisk)
}

function joinText(messages: readonly MessageContent[]): string {
  return messages
    .map(({ role, parts }) => `${role}:\n\n${parts.map(part => (part.type === 'text' ? part.text : '')).join('')}\n`)
    .join('\n')
}
