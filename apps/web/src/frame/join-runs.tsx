import type { ChatStore } from '@argot/react'
import type { RunResource } from '@argot/server/api'
import { type ReactNode, useEffect } from 'react'

/** Also shows messages from another tab or a terminal, and the run that answers them. */
export function JoinRuns({ run, store }: { run: RunResource | undefined; store: ChatStore }): ReactNode {
  const phase = run && toPhase(run)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new run is a reason to join
  useEffect(() => {
    // A queued run's question is not in the document yet.
    if (phase !== undefined && phase !== 'queued') void store.join({ hasNews: true })
  }, [phase, run?.id, store])
  return null
}

/** A run may be over by the next event, even if it was queued before, so all three phases differ. */
function toPhase({ state }: RunResource): 'queued' | 'on' | 'over' {
  if (state === 'queued') return state
  return state === 'running' || state === 'waiting' || state === 'stopping' ? 'on' : 'over'
}
