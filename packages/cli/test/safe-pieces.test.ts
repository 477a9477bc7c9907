import { expect, test } from 'vitest'
import { oneLine, SafeTextStream } from '../src/view/safe-pieces.ts'

const SMILE = '😀'

test('a line that is cut has no half of a pair at its end', () => {
  const text = `a${SMILE.repeat(10)}`
  for (let limit = 1; limit < text.length; limit++) expect(oneLine(text, limit).isWellFormed()).toBe(true)
})

test('a text that comes in two pieces, cut at any place, is shown whole', () => {
  const text = `a${SMILE}b\r\nc${SMILE}`
  for (let at = 0; at <= text.length; at++) {
    const stream = new SafeTextStream()
    const shown = [stream.push(text.slice(0, at)), stream.push(text.slice(at)), stream.end()]
    expect(shown.every(piece => piece.isWellFormed())).toBe(true)
    expect(shown.join('')).toBe(`a${SMILE}b\nc${SMILE}`)
  }
})
