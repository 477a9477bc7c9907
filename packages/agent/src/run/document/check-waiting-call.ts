import { ArgotError } from '@argot/core'
import { parseTree } from '@argot/core/chatmd'
import { type ApprovalChange, type ApprovalCheck, defined } from '@argot/core/stream/internal'
import { checkChange, toApprovalCheck } from '../../approval/check-change.ts'
import { joinDiffs, toApprovalChange } from '../../approval/question-facts.ts'
import { createRedactor } from '../../tool/output/redact.ts'
import type { RunOptions } from '../run-options.ts'
import { listTools, readNamedDocument } from './preview-document.ts'

export interface WaitingCallToCheck {
  toolName: string
  input: unknown
  check: ApprovalCheck | undefined
}

export interface WaitingCallCheck {
  /**
   * `applies`: what the person was shown. `changed`: something else, so the run would refuse it. `fails`: nothing, for
   * the reason in `problem`. `unknown`: the tool can't foresee it.
   */
  state: 'applies' | 'changed' | 'fails' | 'unknown'
  /** Milliseconds since 1970. */
  at: number
  problem?: string
  changes?: ApprovalChange[]
  /** In the unified format. */
  diff?: string
}

/** Checks a waiting call against the current files, with its document's tools. Starts and changes nothing. */
export async function checkWaitingCall(
  path: string,
  { toolName, input, check: approvedCheck }: WaitingCallToCheck,
  options: RunOptions,
): Promise<WaitingCallCheck> {
  const { env = process.env, now = Date.now, signal = new AbortController().signal } = options
  const unknown = { state: 'unknown', at: now() } as const
  const source = await readNamedDocument(path, options).catch((error: unknown) => {
    if (error instanceof ArgotError) return undefined
    throw error
  })
  if (source === undefined) return unknown
  const { toolbox } = await listTools({ ...source, tree: parseTree(source.text) }, options, [])
  try {
    const tool = toolbox.tools.get(toolName)
    const validation = await tool?.validate(input)
    if (tool === undefined || validation?.ok !== true) return unknown
    const change = await checkChange({ tool, input: validation.input }, signal, now)
    if (change === undefined) return unknown
    const { at, problem, changes } = change
    if (changes === undefined) return redacted({ state: 'fails', at, ...defined({ problem }) }, env)
    const isSame = approvedCheck?.stamp !== undefined && toApprovalCheck(change).stamp === approvedCheck.stamp
    const question = { changes: changes.map(toApprovalChange), ...defined({ diff: joinDiffs(changes) }) }
    return redacted({ state: isSame ? 'applies' : 'changed', at, ...question }, env)
  } finally {
    await toolbox.close()
  }
}

function redacted(check: WaitingCallCheck, env: NodeJS.ProcessEnv): WaitingCallCheck {
  return createRedactor(env)(check) as WaitingCallCheck
}
