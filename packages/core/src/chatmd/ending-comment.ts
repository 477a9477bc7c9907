import type { Message } from '../message/message.ts'
import type { Attribute } from './reader/attribute.ts'
import type { ElementNode } from './reader/tree.ts'

/*
 * If readers must know how a message ended, a comment after its last element says so:
 *
 *     <!-- run stopped -->
 *     <!-- run failed: The model is overloaded. -->
 *     <!-- reply cut off by the token limit -->
 *     <!-- reply cut off by the content filter -->
 *
 * Other readers of ChatMD skip comments. Argot reads these as the end of the message before them.
 */

const LONGEST_TEXT = 500

/** Undefined for a message that is complete or waits for an answer. */
export function describeEnding({
  status,
  finishReason,
  errorText,
}: Pick<Message, 'status' | 'finishReason' | 'errorText'>): string | undefined {
  const why = errorText === undefined ? '' : `: ${onOneLine(errorText)}`
  if (status === 'cancelled') return `<!-- run stopped${why} -->`
  if (status === 'error') return `<!-- run failed${why} -->`
  if (finishReason === 'length') return '<!-- reply cut off by the token limit -->'
  return finishReason === 'content-filter' ? '<!-- reply cut off by the content filter -->' : undefined
}

/** Removes line breaks and anything that would end the comment. */
function onOneLine(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  const short = line.length > LONGEST_TEXT ? `${line.slice(0, LONGEST_TEXT - 1).toWellFormed()}…` : line
  return short
    .replaceAll(/-(?=-|>|$)/g, '- ')
    .replaceAll('<!', '< !')
    .trim()
}

const pattern = /^<!-- (?:(run stopped|run failed)(?:: (.*))?|reply cut off by the (token limit|content filter)) -->$/

/** Returns the element that older versions wrote for this ending. */
export function readEnding(comment: string, start: number): ElementNode | undefined {
  if (comment.length > LONGEST_TEXT * 3) return undefined
  const [, run, error, limit] = pattern.exec(comment) ?? []
  if (run === undefined && limit === undefined) return undefined
  const end = start + comment.length
  const attribute = (name: string, value: string): Attribute => ({ name, value, start, end })
  const attributes = [attribute('part', 'end')]
  if (run !== undefined) attributes.push(attribute('status', run === 'run stopped' ? 'cancelled' : 'error'))
  if (error !== undefined) attributes.push(attribute('error', error))
  if (limit !== undefined) attributes.push(attribute('finish', limit === 'token limit' ? 'length' : 'content-filter'))
  return { ...unwrittenNode(start), end, openEnd: end, closeStart: end, attributes }
}

export function unwrittenNode(at: number): ElementNode {
  const place = { start: at, end: at, openEnd: at, closeStart: at }
  const state = { selfClosing: true, closed: true, complete: true, isUnwritten: true } as const
  return { type: 'element', name: 'assistant', ...place, attributes: [], children: [], ...state }
}
