import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { useChatStore } from '../hooks/chat-context.ts'
import { usePendingCalls } from '../hooks/use-chat.ts'
import { useLocale } from '../locale/locale-context.ts'
import { Glyph } from '../parts/glyph.tsx'
import { ToolCard } from '../parts/tool-card.tsx'
import type { PendingCall } from '../store/conversation.ts'
import type { ChatLogHandle } from './chat-log.tsx'

/** Says that calls wait, when there are several or the one is out of view. Review shows all of them in full. */
export function ApprovalsBar({ log }: { log: RefObject<ChatLogHandle | null> }): ReactNode {
  const { box } = useLocale()
  const pending = usePendingCalls()
  const isInView = useIsInView(log, pending)
  const [isReviewing, setReviewing] = useState(false)
  if (pending.length === 0) return null
  return (
    <>
      {(pending.length > 1 || !isInView) && (
        <div className="argot-bar">
          <Glyph stage="asking" />
          <span className="argot-wait">{box.needYou(pending.length)}</span>
          <button type="button" className="argot-button" data-size="small" onClick={() => setReviewing(true)}>
            {box.review}
          </button>
        </div>
      )}
      {isReviewing && <Review pending={pending} onClose={() => setReviewing(false)} />}
    </>
  )
}

/** Whether the card of the only call that waits can be seen. */
function useIsInView(log: RefObject<ChatLogHandle | null>, pending: readonly PendingCall[]): boolean {
  const [isInView, setInView] = useState(true)
  const callKey = pending.length === 1 ? pending[0]!.callKey : undefined
  useEffect(() => {
    const root = log.current?.element
    if (callKey === undefined || !root) return
    let observer: IntersectionObserver | undefined
    let card: Element | null = null
    const look = (): void => {
      const found = root.querySelector(`[data-argot-call="${CSS.escape(callKey)}"]`)
      if (found === card && card !== null) return
      observer?.disconnect()
      card = found
      if (card === null) return setInView(false)
      observer = new IntersectionObserver(([entry]) => setInView(entry?.isIntersecting === true), { root })
      observer.observe(card)
    }
    look()
    const changes = new MutationObserver(look)
    changes.observe(root, { childList: true, subtree: true })
    return () => {
      observer?.disconnect()
      changes.disconnect()
    }
  }, [log, callKey])
  return isInView
}

/** All calls that wait, each with its whole input. Only here several can be approved at once. */
function Review({ pending, onClose }: { pending: readonly PendingCall[]; onClose: () => void }): ReactNode {
  const { box } = useLocale()
  const store = useChatStore()
  const dialog = useRef<HTMLDialogElement>(null)
  const approvals = pending.filter(({ kind }) => kind === 'approval')
  const keys = pending.map(({ callKey }) => callKey).join()
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `keys` is what `pending` says
  useEffect(() => {
    for (const { callKey } of pending) {
      const ui = store.conversation.ui(callKey)
      ui.setOpen(undefined, true)
      ui.setDraft({ shown: { ...ui.draft.shown, input: true } })
    }
  }, [keys, store])
  return (
    <dialog ref={dialog} className="argot-review" aria-label={box.reviewTitle(pending.length)} onClose={onClose}>
      <div className="argot-review-head">
        <h2>{box.reviewTitle(pending.length)}</h2>
        <button type="button" className="argot-link argot-push" onClick={() => dialog.current?.close()}>
          {box.close}
        </button>
      </div>
      <div className="argot-review-list">
        {pending.map(({ callKey }) => (
          <ToolCard key={callKey} callKey={callKey} />
        ))}
      </div>
      {approvals.length > 1 && (
        <div className="argot-review-foot">
          <button
            type="button"
            className="argot-button"
            data-kind="primary"
            onClick={() => {
              for (const { callKey } of approvals) void store.answer(callKey, { approved: true })
              dialog.current?.close()
            }}
          >
            {box.approveAll(approvals.length)}
          </button>
        </div>
      )}
    </dialog>
  )
}
