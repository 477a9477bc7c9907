import { accumulate, describeCall, formatDiagnostic, type ToolInvocation } from '@argot/core'
import { PartialJson } from '@argot/core/stream'
import { afterPair, beforePair, endsInHalf, firstCharacters } from '@argot/core/stream/internal'
import { syntaxes } from '@argot/core/syntax'
import { expect, test } from 'vitest'

const SMILE = '😀'
/** Pairs at every place: with and without a character before them, a cut at any limit is once between two halves. */
const texts = ['', 'x'].map(start => start + SMILE.repeat(5000))

function call(text: string): ToolInvocation {
  const more = { output: text, errorText: text } as const
  return { key: 'c', toolCallId: 'c', toolName: 'read_file', state: 'output-error', input: { path: text }, ...more }
}

/** Each cuts a text in its own way. */
const cutters: [string, (text: string) => string][] = [
  ['describeCall', text => JSON.stringify(describeCall(call(text)))],
  [
    'formatDiagnostic',
    text =>
      Array.from({ length: 40 }, (_, width) => {
        const at = (column: number): { offset: number; line: number; column: number } => ({
          offset: 0,
          line: 1,
          column,
        })
        const range = { start: at(51), end: at(53) }
        const diagnostic = { code: 'SYNTAX_UNCLOSED_CALL', severity: 'error', message: 'm', range } as const
        return formatDiagnostic(diagnostic, text, { width: 20 + width })
      }).join(''),
  ],
  ['firstCharacters', text => Array.from({ length: 40 }, (_, limit) => firstCharacters(text, limit)).join('')],
]

test.each(cutters)('%s leaves no half of a pair', (_, cut) => {
  for (const text of texts) {
    const shown = cut(text)
    expect(shown.isWellFormed()).toBe(true)
    expect(shown).not.toContain('\\ud')
    expect(shown).not.toContain('\ufffd')
  }
})

test('a text that is cut at any place is cut at the same place, or one beside it, and joins again', () => {
  const text = `a${SMILE}b${SMILE}`
  for (let at = 0; at <= text.length; at++) {
    const [before, after] = [beforePair(text, at), afterPair(text, at)]
    expect([text.slice(0, before), text.slice(before), text.slice(after)].every(one => one.isWellFormed())).toBe(true)
    expect(endsInHalf(text.slice(0, at))).toBe(before !== at)
  }
})

/** Each reads a text that came in two pieces. */
const readers: [string, (pieces: string[]) => string | undefined][] = [
  [
    'a fold of texts',
    pieces => {
      const fold = accumulate()
      fold.push({ type: 'start', messageId: 'm' })
      fold.push({ type: 'text-start', id: 't' })
      for (const delta of pieces) fold.push({ type: 'text-delta', id: 't', delta })
      fold.push({ type: 'text-end', id: 't' })
      fold.end()
      const part = fold.message?.parts[0]
      return part?.type === 'text' ? part.text : undefined
    },
  ],
  [
    'a value of JSON that grows',
    pieces => {
      const json = new PartialJson()
      for (const piece of ['"', ...pieces, '"']) {
        json.push(piece)
        expect(String(json.value ?? '').isWellFormed()).toBe(true)
      }
      json.end()
      return json.value as string
    },
  ],
  [
    'a parser of a syntax',
    pieces => {
      const parser = syntaxes.get('callout')!.parser({ tools: [] })
      const chunks = [...pieces.flatMap(piece => parser.push(piece)), ...parser.end()]
      const deltas = chunks.map(chunk => (chunk.type === 'text-delta' ? chunk.delta : ''))
      expect(deltas.every(delta => delta.isWellFormed())).toBe(true)
      return deltas.join('')
    },
  ],
]

test.each(readers)('%s that came in two pieces, cut at any place, is whole', (_, read) => {
  const text = `a${SMILE}b${SMILE}`
  for (let at = 0; at <= text.length; at++) expect(read([text.slice(0, at), text.slice(at)])).toBe(text)
})
