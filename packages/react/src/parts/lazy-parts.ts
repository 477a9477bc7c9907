import { ComponentChunk } from '../bodies/component-chunk.tsx'
import type { ToolCallView } from '../hooks/use-tool-call.ts'
import type { CallBodyProps } from './call-body.tsx'
import type { SubRowsProps } from './sub-rows.tsx'
import type { ThumbnailProps } from './thumbnail.tsx'

interface ViewProps {
  view: ToolCallView
}

/** An open card's content. Most cards are closed and do without it. */
export const callBody: ComponentChunk<CallBodyProps> = new ComponentChunk(() => import('./call-body.tsx'))

export const approvalCard: ComponentChunk<ViewProps> = new ComponentChunk(() => import('./approval/approval-card.tsx'))

export const askUser: ComponentChunk<ViewProps> = new ComponentChunk(() => import('./approval/ask-user.tsx'))

export const subRows: ComponentChunk<SubRowsProps> = new ComponentChunk(() => import('./sub-rows.tsx'))

export const thumbnail: ComponentChunk<ThumbnailProps> = new ComponentChunk(() => import('./thumbnail.tsx'))

/** A page that is never idle loads after this many milliseconds, before a body could push down the text below it. */
const LATEST = 500

let isLoading = false

/** When the page is idle, loads what the first click would need. */
export function preloadParts(): void {
  if (isLoading) return
  isLoading = true
  const load = () => {
    callBody.preload()
    approvalCard.preload()
    subRows.preload()
  }
  if (typeof requestIdleCallback === 'function') requestIdleCallback(load, { timeout: LATEST })
  else setTimeout(load, 200)
}
