import type { ToolResult } from '../../message/tool-invocation.ts'
import { checkCall } from '../value/check-call.ts'

/** A result's name, id and status as sent to the model. Each field is safe to put into any syntax. */
export interface ResultLabel {
  name: string
  id: string
  status: 'success' | 'error' | 'denied'
}

/**
 * A result as sent to the model: the syntax's own lines around the output, and the output in a code fence that nothing
 * in it can close. No syntax reads calls in such a fence, so a result never becomes one. `info` follows the opening
 * fence. Empty lines around it are omitted.
 */
export function quoteResult(
  result: ToolResult,
  frame: (label: ResultLabel) => [before: string, after: string, info?: string],
): string {
  const text = formatOutput(checkCall(result, 'result'))
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  const [before, after, info = ''] = frame({
    name: toSafeLabel(result.toolName),
    id: toSafeLabel(result.toolCallId ?? ''),
    status: getStatus(result),
  })
  const lines = [before, fence + info, text, fence, after]
  return lines.filter(line => line !== '').join('\n')
}

/** A result between two lines, with `{name}`, `{id}` and `{status}` filled in. */
export function quoteBetween(result: ToolResult, [before, after]: readonly [before: string, after: string]): string {
  return quoteResult(result, label => {
    const fill = (text: string) =>
      text.replaceAll(/\{(name|id|status)\}/g, (_, place: 'name' | 'id' | 'status') => label[place])
    return [fill(before), fill(after)]
  })
}

/** Strings are unchanged; any other output becomes JSON. A call without an output gets the reason. */
export function formatOutput(result: ToolResult): string {
  switch (result.state) {
    case 'output-available':
      if (typeof result.output === 'string') return result.output
      return result.output === undefined ? '' : JSON.stringify(result.output, null, 2)
    case 'output-error':
      return result.errorText ?? 'Tool failed'
    case 'output-denied':
      return result.approval?.reason ?? 'The user did not allow this call.'
    default:
      return 'There is no result yet.'
  }
}

export function getStatus(result: ToolResult): ResultLabel['status'] {
  if (result.state === 'output-available') return 'success'
  return result.state === 'output-denied' ? 'denied' : 'error'
}

/** Removes anything that could be markup from a name or an id. */
function toSafeLabel(text: string): string {
  return text.slice(0, 128).replace(/[^A-Za-z0-9_.:#-]/g, '_')
}
