import { Chunk } from '../bodies/chunk.tsx'
import type { ToolCallView } from '../hooks/use-tool-call.ts'
import type { CallBodyProps } from './call-body.tsx'
import type { SubRowsProps } from './sub-rows.tsx'
import type { ThumbnailProps } from './thumbnail.tsx'

interface ViewProps {
  view: ToolCallView
}

/** An open card's content. Most cards are closed and do without it. */
export const callBody: Chunk<CallBodyProps> = new Chunk(() => import('./call-body.tsx'))

export const approvalCard: Chunk<ViewProps> = new Chunk(() => import('./approval/approval-card.tsx'))

export const askUser: Chunk<ViewProps> = new Chunk(() => import('./approval/ask-user.tsx'))

export const subRows: Chunk<SubRowsProps> = new Chunk(() => import('./sub-rows.tsx'))

export const thumbnail: Chunk<ThumbnailProps> = new Chunk(() => import('./thumbnail.tsx'))

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
  if (typeof requestIdleCallback === 'function') requestIdleCallback(load)
  else setTimeout(load, 200)
}
