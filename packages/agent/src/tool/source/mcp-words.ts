import { firstCharacters, plainLines } from '@argot/core/stream/internal'
import { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { quoted } from '../../words/quoted.ts'
import { toMessage } from '../../words/to-message.ts'
import { ToolFailure } from '../../words/tool-failure.ts'

const LONGEST_DETAIL = 200

/** Why the protocol client failed: the innermost error's message, without a full stop. */
export function describeReason(error: unknown): string {
  if (error instanceof SdkHttpError) return describeStatus(error)
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) return describeBroken(error.message)
  let reason = error
  while (reason instanceof Error && reason.cause instanceof Error && !(reason instanceof ToolFailure)) {
    reason = reason.cause
  }
  return toMessage(reason).replace(/\.+$/, '')
}

function describeStatus({ status, data }: SdkHttpError): string {
  if (status === 401) return 'it wants a token (HTTP 401)'
  if (status === 403) return 'it refuses access (HTTP 403)'
  const text = (data as { text?: unknown }).text
  const line = typeof text === 'string' ? text.trim().split('\n')[0]! : ''
  // HTML pages are for browsers.
  const detail = line === '' || line.startsWith('<') ? '' : `: ${quoted(firstCharacters(line, LONGEST_DETAIL))}`
  return `it responded with HTTP ${status}${detail}`
}

/** What is wrong with a result: the first of the problems that the message contains as JSON. */
function describeBroken(message: string): string {
  const from = message.indexOf('[')
  try {
    const [{ path, message: problem }] = JSON.parse(message.slice(from)) as [{ path: unknown[]; message: string }]
    const place = path.map(String).join('.')
    return place === '' ? problem : `${quoted(place)} is wrong (${problem})`
  } catch {
    return firstCharacters(message.replace(/\s+/g, ' '), LONGEST_DETAIL).replace(/\.+$/, '')
  }
}

/** The most telling line of a program's last output: one that names an error, else the last. */
export function describeStderr(stderr: string): string | undefined {
  const lines = plainLines(stderr)
    .map(line => line.trim())
    // Node ends with its version and a stack trace, which are never the reason.
    .filter(line => !/^(?:Node\.js v\d|at |[{}\])]|code: |requireStack: )/.test(line))
  const line = lines.findLast(one => /error|fatal|panic|denied|cannot|not found|no such/i.test(one)) ?? lines.at(-1)
  return line === undefined ? undefined : `its last output was ${quoted(line.slice(-LONGEST_DETAIL))}`
}

/** A server's progress message, with the percentage unless the message already has a number. */
export function describeProgress(progress: number, total: number | undefined, message: string | undefined): string {
  const share = total !== undefined && total > 0 ? `${Math.round((100 * progress) / total)} %` : undefined
  if (message === undefined) return share ?? String(progress)
  return share === undefined || /\d/.test(message) ? message : `${message} · ${share}`
}
