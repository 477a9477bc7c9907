import type { CallLocale } from './call-locale.ts'
import type { FindVerbIndex } from './call-verb.ts'
import { type ChangedLines, countDiff } from './count-diff.ts'
import { findFractionDone } from './more-progress.ts'
import { findLink, findResult, findSources } from './more-result.ts'
import { guessSubject, type RawSubject } from './more-subject.ts'
import type { CallSources } from './more-values.ts'
import { addVerbs, findVerbIndex } from './more-verbs.ts'
import type { ToolInvocation } from './tool-invocation.ts'

/**
 * For tools that have no description: their verbs, subjects and results. A separate part, which a page can load after
 * the rest.
 */
export interface MoreWords {
  verbs: (english: CallLocale['verbs']) => CallLocale['verbs']
  findVerbIndex: FindVerbIndex
  subject: (fields: Record<string, unknown>) => RawSubject | undefined
  result: (call: ToolInvocation, subjectKey: string | undefined, locale: CallLocale) => string | undefined
  sources: (call: ToolInvocation) => CallSources | undefined
  link: (call: ToolInvocation) => string | undefined
  /** `line`: the newest line of output. */
  done: (call: ToolInvocation, line: string | undefined) => number | undefined
  countDiff: (diff: string) => ChangedLines | undefined
}

export const moreWords: MoreWords = {
  verbs: addVerbs,
  findVerbIndex,
  subject: guessSubject,
  result: findResult,
  sources: findSources,
  link: findLink,
  done: findFractionDone,
  countDiff,
}
