import { describeCall, isToolPart, type ToolInvocation } from '@argot/core'
import { visibleLine } from '@argot/core/stream/internal'
import type { ChatStore } from '@argot/react'
import { momentHref } from './use-route.ts'

let open: { document: string; store: ChatStore } | undefined

/** The returned function unregisters it. */
export function registerConversation(document: string, store: ChatStore): () => void {
  const own = { document, store }
  open = own
  return () => {
    if (open === own) open = undefined
  }
}

export interface ConversationCall {
  key: string
  messageId: string
  label: string
  result: string | undefined
  /** The address of its moment in the time machine; undefined until its run is known. */
  href: string | undefined
}

/** The calls of the conversation in view, newest first. */
export function openCalls(): ConversationCall[] {
  const { store, document } = open ?? {}
  if (store === undefined || document === undefined) return []
  return store.conversation
    .messages()
    .flatMap(({ id, parts }) =>
      parts.flatMap(part => {
        if (!isToolPart(part)) return []
        const call = part.toolInvocation as ToolInvocation
        const { verb, subject, result } = describeCall(call)
        const label = visibleLine([verb, subject].filter(Boolean).join(' '))
        const href = callHref(document, id, call.toolCallId)
        return [{ key: `${id}/${call.key}`, messageId: id, label, result: result && visibleLine(result), href }]
      }),
    )
    .reverse()
}

/** The address of a call's moment in the time machine. A run's message is named after the run. */
export function callHref(document: string, messageId: string | undefined, call: string): string | undefined {
  const run = /^msg-(.+)$/.exec(messageId ?? '')?.[1]
  return run === undefined ? undefined : momentHref(document, run, { call })
}

export function goToCall({ key, messageId }: ConversationCall): void {
  open?.store.folds.reveal(messageId, key)
  focusCall(key, MOST_FRAMES)
}

/** A slow page draws an unfolded call only after some frames. */
const MOST_FRAMES = 120

function focusCall(key: string, frames: number): void {
  requestAnimationFrame(() => {
    const card = window.document.querySelector<HTMLElement>(`[data-argot-call="${CSS.escape(key)}"]`)
    if (card === null && frames > 0) return focusCall(key, frames - 1)
    const row = card?.querySelector<HTMLElement>('[data-argot-summary]') ?? card
    row?.scrollIntoView({ block: 'center' })
    row?.focus({ preventScroll: true })
  })
}

export function focusedCall(): ConversationCall | undefined {
  const card = window.document.activeElement?.closest<HTMLElement>('[data-argot-call]')
  return openCalls().find(({ key }) => key === card?.dataset.argotCall)
}
