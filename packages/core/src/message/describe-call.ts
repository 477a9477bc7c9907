import { type CallDescription, type DescribeCallOptions, describeCallWith } from './describe-call-with.ts'
import { moreWords } from './more-words.ts'
import type { ToolInvocation } from './tool-invocation.ts'

/**
 * A call in words: the verb in the right tense, its subject, its result and how long it took. A pure function that
 * never throws. Its time is at most linear in the call's input and output.
 */
export function describeCall(call: ToolInvocation, options: DescribeCallOptions = {}): CallDescription {
  return describeCallWith(moreWords, call, options)
}
