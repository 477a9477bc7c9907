import { type ReactNode, type RefObject, useEffect, useState } from 'react'
import { ComponentChunk, FromChunk } from '../bodies/component-chunk.tsx'
import { useLocale } from '../locale/frame-locale.ts'
import { Glyph } from '../parts/glyph.tsx'
import type { PendingCall } from '../store/conversation.ts'
import type { ChatLogHandle } from './log/chat-log.tsx'
import type { ReviewProps } from './review.tsx'

export interface ApprovalsBarProps {
  log: RefObject<ChatLogHandle | null>
  /** At least one. */
  pending: readonly PendingCall[]
}

/** Says that calls wait, if there are several or the only one is out of view. Review shows all of them in full. */
export default function ApprovalsBar({ log, pending }: ApprovalsBarProps): ReactNode {
  const { box } = useLocale()
  const isInView = useIsInView(log, pending)
  const [isReviewing, setReviewing] = useState(false)
  return (
    <>
      {(pending.length > 1 || !isInView) && (
        <div className="argot-bar" data-part="bar">
          <Glyph stage="asking" />
          <span className="argot-wait">{box.needYou(pending.length)}</span>
          <button type="button" className="argot-button" data-size="small" onClick={() => setReviewing(true)}>
            {box.review}
          </button>
        </div>
      )}
      {isReviewing && <FromChunk chunk={review} props={{ pending, onClose: () => setReviewing(false) }} />}
    </>
  )
}

function useIsInView(log: RefObject<ChatLogHandle | null>, pending: readonly PendingCall[]): boolean {
  const [isInView, setInView] = useState(true)
  const callKey = pending.length === 1 ? pending[0]!.callKey : undefined
  useEffect(() => {
    const root = log.current?.element
    if (callKey === undefined || !root) return
    let observer: IntersectionObserver | undefined
    let card: Element | null = null
    const look = (): void => {
      const element = root.querySelector(`[data-argot-call="${CSS.escape(callKey)}"]`)
      if (element === card && card !== null) return
      observer?.disconnect()
      card = element
      if (card === null) return setInView(false)
      observer = new IntersectionObserver(entries => setInView(entries.at(-1)?.isIntersecting === true), { root })
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

const review = new ComponentChunk<ReviewProps>(() => import('./review.tsx'))
