import type { CallReading, ExamplePlace, Reading } from '../reading/reading.ts'
import type { ReadingView } from '../reading/view-at.ts'

const numbers = new Intl.NumberFormat('en')

export function formatCount(count: number): string {
  return numbers.format(count)
}

/** `1 call`, `2 calls`. */
export function plural(count: number, word: string): string {
  return `${formatCount(count)} ${word}${count === 1 ? '' : 's'}`
}

/** `a`, `a and b`, `a, b and c`. */
export function listWords(words: readonly string[]): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

export const placeWords: Readonly<Record<ExamplePlace, string>> = {
  block: 'It is in a code block.',
  code: 'It is in a code span.',
  indented: 'It is in indented code.',
  quote: 'It is in a quote.',
  list: 'It is in a list item.',
  table: 'It is in a table row.',
  footnote: 'It is in a footnote.',
  html: 'It is in an HTML comment or a `<pre>` element.',
  reasoning: "It is in the model's reasoning.",
  escaped: 'There is a backslash before it.',
  other: "A call can't begin there.",
}

export function listDialects(calls: readonly CallReading[], syntax: string): string[] {
  return [...new Set(calls.map(({ dialect }) => dialect ?? syntax))]
}

export function describeVerdict({ calls, syntax, length }: Reading): string {
  if (length === 0) return 'Nothing to read yet'
  const complete = calls.filter(({ failure }) => failure === undefined)
  if (calls.length === 0) return 'No calls'
  const count = complete.length === 0 ? 'No complete call' : plural(complete.length, 'call')
  return `${count}, read as ${listWords(listDialects(calls, syntax))}`
}

export function describeRest({ calls, examples, misses, length }: Reading): string[] {
  if (length === 0) return ['Paste what a model wrote, or start from a sample.']
  const failed = calls.filter(({ failure }) => failure !== undefined).length
  const repaired = calls.filter(call => call.repaired !== undefined).length
  const remarks = [
    failed > 0 ? `${plural(failed, 'call')} failed.` : '',
    repaired > 0 ? `${plural(repaired, 'call')} ${repaired === 1 ? 'was' : 'were'} repaired.` : '',
    examples.length > 0 ? `${plural(examples.length, 'example')} stayed text.` : '',
    misses.length > 0 ? `${plural(misses.length, 'near miss').replace(/misss$/, 'misses')}.` : '',
  ].filter(Boolean)
  if (remarks.length > 0) return remarks
  return [calls.length === 0 ? 'It is all text.' : 'No repairs, no near misses.']
}

/** How far a reply that is still arriving has been read. */
export function describeView({ segments }: ReadingView): string {
  const calls = segments.filter(({ kind }) => kind === 'call').length
  const last = segments.at(-1)
  const count = calls === 0 ? 'No call yet.' : `${plural(calls, 'call')} so far.`
  if (last?.kind === 'writing')
    return calls === 0 ? 'The first call is being written.' : `${count} Another one is being written.`
  return last?.kind === 'held' ? `${count} ${plural(last.end - last.start, 'character')} held back.` : count
}
