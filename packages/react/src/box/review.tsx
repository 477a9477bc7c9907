import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react'
import { useChatStore } from '../hooks/chat-context.ts'
import { useLocale } from '../locale/frame-locale.ts'
import { isReduced } from '../parts/approval/edit-choice.ts'
import { currentCheck, isStale } from '../parts/approval/use-approval-check.ts'
import { ToolCard } from '../parts/tool-card.tsx'
import type { ChatStore } from '../store/chat-store.ts'
import type { PendingCall } from '../store/conversation.ts'

export interface ReviewProps {
  pending: readonly PendingCall[]
  onClose: () => void
}

/** All waiting calls, each with its complete input. Only here can several be approved together. */
export default function Review({ pending, onClose }: ReviewProps): ReactNode {
  const { box } = useLocale()
  const store = useChatStore()
  const dialog = useRef<HTMLDialogElement>(null)
  const approvals = useApprovable(pending, store)
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
    <dialog
      ref={dialog}
      className="argot-review"
      data-part="review"
      aria-label={box.reviewTitle(pending.length)}
      onClose={onClose}
    >
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
              for (const callKey of approvals) void store.answer(callKey, { approved: true })
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

/**
 * The calls that "approve all" applies to: not those that would do something else, or whose input is partly left out.
 */
function useApprovable(pending: readonly PendingCall[], { conversation }: ChatStore): string[] {
  const uis = pending.map(({ callKey }) => conversation.ui(callKey))
  const version = (): string => uis.map(ui => ui.version()).join()
  const subscribe = (listener: () => void): (() => void) => {
    const ends = uis.map(ui => ui.subscribe(listener))
    return () => {
      for (const end of ends) end()
    }
  }
  useSyncExternalStore(subscribe, version, version)
  return pending
    .filter(({ kind }) => kind === 'approval')
    .map(({ callKey }) => callKey)
    .filter(callKey => {
      const call = conversation.call(callKey)
      const { draft } = conversation.ui(callKey)
      return call === undefined || (!isStale(currentCheck(call, draft)) && !isReduced(call, draft))
    })
}
