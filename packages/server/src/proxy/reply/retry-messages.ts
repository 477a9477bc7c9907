import type { Reply } from './reply.ts'

type RetryMessage = Record<string, unknown>

/** The messages after a reply with only broken calls: the reply unchanged, and what is wrong with it. */
export function toRetryMessages(reply: Reply): RetryMessage[] {
  const { written, desk, hasLostCall } = reply
  const natives = desk.broken.filter(({ isNative }) => isNative)
  const calls = natives.map(({ toolName, source }) => `[call of ${toolName}, arguments: ${source}]`)
  const repeatedReply = [written, ...calls].filter(text => text.trim() !== '').join('\n')
  const problems = hasLostCall
    ? ['You meant to call a tool, but no call arrived.']
    : desk.broken.map(({ problem }) => problem)
  return retryMessages(repeatedReply, problems)
}

/** For a reply that the upstream couldn't parse itself. */
export function retryMessages(written: string, problems: readonly string[]): RetryMessage[] {
  const request = `Your tool call was not made. ${problems.slice(0, 8).join('\n')}\n\nMake the call again, corrected. Write nothing else.`
  return [...(written === '' ? [] : [{ role: 'assistant', content: written }]), { role: 'user', content: request }]
}
