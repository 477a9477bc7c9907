import { type CallDescription, type DescribeCallOptions, describeBy } from './describe-by.ts'
import { moreWords } from './more-words.ts'
import type { ToolInvocation } from './tool-invocation.ts'

/**
 * A call in words: the verb in honest tense, what it is about, what came of it and how long it took. A pure function of
 * the call that never throws, in time that grows with its input and output at most.
 */
export function describeCall(call: ToolInvocation, options: DescribeCallOptions = {}): CallDescription {
  return describeBy(moreWords, call, options)
}
