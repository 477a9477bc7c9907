import type { ToolInvocation } from '@argot/core'
import { type CallLocale, visibleText } from '@argot/core/stream'
import { type CallDescription, describeCallWith, type MoreWords } from '@argot/core/stream/internal'
import type { ToolPresentation, ToolPresentationMap } from '../types/index.ts'

/** The presentation under the tool's exact name, or else the one under `'*'`. */
export function findPresentation(map: ToolPresentationMap | undefined, toolName: string): ToolPresentation | undefined {
  if (map === undefined) return undefined
  const key = Object.hasOwn(map, toolName) ? toolName : '*'
  return Object.hasOwn(map, key) ? (map as Record<string, ToolPresentation | undefined>)[key] : undefined
}

/** A call in words, with its presentation's subject and result. If the presentation throws, it is ignored. */
export function describe(
  call: ToolInvocation,
  locale: CallLocale,
  presentation: ToolPresentation | undefined,
  now: number | undefined,
  started?: boolean,
  more?: MoreWords,
): CallDescription {
  const { subject, summary, ...rest } = presentation ?? {}
  const byName = typeof subject === 'string' ? subject : undefined
  const description = describeCallWith(more, call, { locale, presentation: { ...rest, subject: byName }, now, started })
  const ownSubject = typeof subject === 'function' ? attempt(() => subject(call.input)) : undefined
  const result = description.state === 'done' && summary !== undefined ? attempt(() => summary(call)) : undefined
  if (ownSubject !== undefined) replaceField(description, description.verb, ' ', 'subject', ownSubject)
  if (result !== undefined) {
    const before = description.subject === undefined ? description.verb : `${description.verb} ${description.subject}`
    replaceField(description, before, ', ', 'result', result)
  }
  return description
}

/** Replaces a field's text, also in the sentence. */
function replaceField(
  description: CallDescription,
  before: string,
  mark: string,
  field: 'subject' | 'result',
  text: string,
): void {
  const old = description[field]
  const from = old === undefined ? before : `${before}${mark}${old}`
  description[field] = text
  description.sentence = description.sentence.replace(from, () => `${before}${mark}${text}`)
}

function attempt(say: () => unknown): string | undefined {
  try {
    const text = say()
    return typeof text === 'string' && text !== '' ? visibleText(text) : undefined
  } catch {
    return undefined
  }
}
