import { describeCall, isToolPart, type ToolInvocation } from '@argot/core'
import { visibleLine } from '@argot/core/stream/internal'
import type { ChatStore } from '@argot/react'
import { momentHref } from './use-route.ts'

/** The conversation in view; undefined while none is. */
let open: { document: string; store: ChatStore } | undefined

/** Says which conversation is in view. The returned function takes it back. */
export function showConversation(document: string, store: ChatStore): () => void {
  const own = { document, store }
  open = own
  return () => {
    if (open === own) open = undefined
  }
}

/** A call of the conversation in view. */
export interface OpenCall {
  key: string
  messageId: string
  /** What its row says. */
  label: string
  result: string | undefined
  /** The address of its moment in the time machine; undefined before its run is known. */
  href: string | undefined
}

/** The calls of the conversation in view, the newest first. */
export function openCalls(): OpenCall[] {
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

/** Where a call of a document can be seen as it was. A message of a run is named after it. */
export function callHref(document: string, messageId: string | undefined, call: string): string | undefined {
  const run = /^msg-(.+)$/.exec(messageId ?? '')?.[1]
  return run === undefined ? undefined : momentHref(document, run, { call })
}

/** Brings a call into view, and gives its row the focus. */
export function goToCall({ key, messageId }: OpenCall): void {
  open?.store.folds.reveal(messageId, key)
  requestAnimationFrame(() => {
    const card = window.document.querySelector<HTMLElement>(`[data-argot-call="${CSS.escape(key)}"]`)
    const row = card?.querySelector<HTMLElement>('[data-argot-summary]') ?? card
    row?.scrollIntoView({ block: 'center' })
    row?.focus({ preventScroll: true })
  })
}

/** The call that has the focus, or that something in has. */
export function focusedCall(): OpenCall | undefined {
  const card = window.document.activeElement?.closest<HTMLElement>('[data-argot-call]')
  return openCalls().find(({ key }) => key === card?.dataset.argotCall)
}
