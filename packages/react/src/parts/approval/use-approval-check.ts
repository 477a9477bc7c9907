import { useEffect, useState } from 'react'
import type { ToolCallView } from '../../hooks/use-tool-call.ts'
import type { ChatApprovalCheck } from '../../types/index.ts'
import type { CardFacts } from './approval-facts.ts'

/** How often a call that waits on a visible page is checked again, in milliseconds. */
const AGAIN_MS = 15_000

/**
 * Whether the call still does to the files what its question says: what the run said when it asked, then what the server says
 * while the card is shown. Undefined if nobody knows.
 */
export function useApprovalCheck({ check, callKey }: ToolCallView, facts: CardFacts): ChatApprovalCheck | undefined {
  const [checked, setChecked] = useState<{ callKey: string; result: ChatApprovalCheck } | undefined>()
  const isAsked = facts.check !== undefined && check !== undefined
  useEffect(() => {
    if (!isAsked) return
    const leave = new AbortController()
    const { signal } = leave
    const look = (): void => {
      if (document.visibilityState === 'hidden') return
      check(signal).then(
        result => {
          if (!signal.aborted && result !== undefined && result.state !== 'unknown') setChecked({ callKey, result })
        },
        // A server that is away is shown elsewhere; what was known stays.
        () => {},
      )
    }
    look()
    const timer = setInterval(look, AGAIN_MS)
    window.addEventListener('focus', look, { signal })
    document.addEventListener('visibilitychange', look, { signal })
    return () => {
      leave.abort()
      clearInterval(timer)
    }
  }, [isAsked, check, callKey])
  if (checked?.callKey === callKey) return checked.result
  if (facts.check === undefined) return undefined
  const { at, problem } = facts.check
  return problem === undefined ? { state: 'applies', at } : { state: 'fails', at, problem }
}
