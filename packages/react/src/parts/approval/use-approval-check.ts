import type { ToolInvocation } from '@argot/core'
import { useEffect, useRef } from 'react'
import { useBrowserLayoutEffect } from '../../bodies/use-browser-layout-effect.ts'
import type { ToolCallView } from '../../hooks/use-tool-call.ts'
import type { CallDraft } from '../../store/call-ui.ts'
import type { ChatApprovalCheck } from '../../types/index.ts'
import { approvalFacts } from './approval-facts.ts'

/** How often a waiting call on a visible page is checked again, in milliseconds. */
const AGAIN_MS = 15_000

/**
 * Whether the call still does to the files what its question says. At first this comes from the run's question, then
 * from the server while the card is shown. Undefined if it is not known.
 */
export function useApprovalCheck(view: ToolCallView): ChatApprovalCheck | undefined {
  const { check, invocation: call, draft, setDraft } = view
  const cached = currentCheck(call, draft)
  const id = call.approval?.id ?? ''
  const isAsked = cached !== undefined && check !== undefined
  const keep = useRef(setDraft)
  useBrowserLayoutEffect(() => {
    keep.current = setDraft
  })
  useEffect(() => {
    if (!isAsked) return
    const leave = new AbortController()
    let last: AbortController | undefined
    const look = (): void => {
      if (document.visibilityState === 'hidden') return
      // One at a time: a late result is older than the current one.
      last?.abort()
      const { signal } = (last = new AbortController())
      check(signal).then(
        answer => {
          const result = readResult(answer)
          if (!signal.aborted && result !== undefined) keep.current({ check: { id, result } })
        },
        // An unreachable server is shown elsewhere; the last result stays.
        () => {},
      )
    }
    look()
    const timer = setInterval(look, AGAIN_MS)
    window.addEventListener('focus', look, { signal: leave.signal })
    document.addEventListener('visibilitychange', look, { signal: leave.signal })
    return () => {
      leave.abort()
      last?.abort()
      clearInterval(timer)
    }
  }, [isAsked, check, id])
  return cached
}

/** The current check of a question: this page's newest, or else the run's own. */
export function currentCheck(call: ToolInvocation, { check }: CallDraft): ChatApprovalCheck | undefined {
  const initialCheck = approvalFacts(call, undefined).check
  if (initialCheck === undefined) return undefined
  if (check !== undefined && check.id === call.approval?.id) return check.result
  const { at, problem } = initialCheck
  return problem === undefined ? { state: 'applies', at } : { state: 'fails', at, problem }
}

/** The call would fail, or do something other than its question shows. */
export function isStale(check: ChatApprovalCheck | undefined): check is ChatApprovalCheck {
  return check?.state === 'fails' || check?.state === 'changed'
}

const states: ReadonlySet<unknown> = new Set<ChatApprovalCheck['state']>(['applies', 'changed', 'fails'])

/** Results come over the network: an invalid one changes nothing. */
function readResult(value: unknown): ChatApprovalCheck | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { state, at, problem, diff } = value as Readonly<Record<keyof ChatApprovalCheck, unknown>>
  if (!states.has(state)) return undefined
  return {
    state: state as ChatApprovalCheck['state'],
    at: typeof at === 'number' && Number.isFinite(at) ? at : Date.now(),
    ...(typeof problem === 'string' && { problem }),
    ...(typeof diff === 'string' && diff !== '' && { diff }),
  }
}
