import { expect, test } from 'vitest'
import { byteLength, cutPayload, firstLines, lastLines } from '../../src/bodies/text/cut-text.ts'
import { textBlocks } from '../../src/bodies/text/text-blocks.ts'

/** Pairs at every place: with and without a character before them, a cut at any limit is once between two halves. */
const texts = ['', 'x'].map(start => `${start}${'😀'.repeat(60_000)}`)

const cutters: [string, (text: string) => string[]][] = [
  ['firstLines', text => [firstLines(text, 3, 100), firstLines(text, 3, 101)]],
  ['lastLines', text => [lastLines(text, 3, 100), lastLines(text, 3, 101)]],
  ['cutPayload', text => [true, false].flatMap(grows => Object.values(cutPayload(text, grows)).map(String))],
  ['textBlocks', textBlocks],
]

test.each(cutters)('%s leaves no half of a pair', (_, cut) => {
  for (const text of texts) expect(cut(text).every(piece => piece.isWellFormed())).toBe(true)
})

test('the bytes of a text are those of UTF-8', () => {
  for (const text of ['', 'a', 'é', '€', '😀', 'a😀€'])
    expect(byteLength(text)).toBe(new TextEncoder().encode(text).length)
})
