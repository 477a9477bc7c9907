import type { SettledBy } from '../../message/tool-invocation.ts'

/** What a call that nobody answered says, for each way in which that happens; `finish`: the run ended without an answer to it. */
export const settlementTexts: Record<SettledBy | 'finish', string> = {
  finish: 'The run ended before this call finished.',
  abort: 'The run was stopped before this call finished.',
  error: 'The run failed before this call finished.',
  end: 'The stream ended before this call finished.',
  limit: 'The message grew past its limit before this call finished.',
}
