import { Chunk } from '../bodies/chunk.tsx'
import type { ToolCallView } from '../hooks/use-tool-call.ts'
import type { CallBodyProps } from './call-body.tsx'
import type { SubRowsProps } from './sub-rows.tsx'
import type { ThumbnailProps } from './thumbnail.tsx'

interface ViewProps {
  view: ToolCallView
}

/** What an open card shows. Closed cards, most of all cards, do without it. */
export const callBody: Chunk<CallBodyProps> = new Chunk(() => import('./call-body.tsx'))

/** The question whether a call may run. */
export const approvalCard: Chunk<ViewProps> = new Chunk(() => import('./approval/approval-card.tsx'))

/** A question of the model. */
export const askUser: Chunk<ViewProps> = new Chunk(() => import('./approval/ask-user.tsx'))

/** What an agent does that a call runs. */
export const subRows: Chunk<SubRowsProps> = new Chunk(() => import('./sub-rows.tsx'))

/** A picture in the place of a result. */
export const thumbnail: Chunk<ThumbnailProps> = new Chunk(() => import('./thumbnail.tsx'))

let isLoading = false

/** Loads what the first click would need, when the page has nothing else to do. */
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
