import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Key, keyName } from '../../src/composer/key.ts'
import { KeyDecoder } from '../../src/composer/key-decoder.ts'

function decode(pieces: readonly (string | Uint8Array)[]): Key[] {
  const decoder = new KeyDecoder()
  return [...pieces.flatMap(piece => decoder.push(piece)), ...decoder.flush()]
}

const sequences = fc.constantFrom(
  ...[
    '\x1b[A',
    '\x1b[1;5C',
    '\x1bOH',
    '\x1b[3~',
    '\x1b[13;2u',
    '\x1b[27;2;13~',
    '\x1b[97;5u',
    '\x1b\r',
    '\x1bb',
    '\x1b[Z',
  ],
  ...[
    '\x1b[200~two\nlines\x1b[201~',
    '\x1b[200~\x1b[A\x1b[20\x1b[201~',
    '\x1b[?1;2c',
    '\x1b[?1u',
    '\x03',
    '\r',
    '\n',
    '\t',
  ],
  ...[
    '\x7f',
    'a',
    'é',
    '日本',
    '👩‍👩‍👧',
    '\x1b[57441u',
    '\x1b[97;1:3u',
    '\x1b[5',
    '\x1b[1;5',
    '\x1b',
    '\x1b[',
    '\x1bO',
    '\x9b',
    '\0',
  ],
)

describe('the decoder of keys', () => {
  test('gives the same keys however the bytes are cut', () => {
    const anything = fc.oneof(sequences, sequences, fc.string({ unit: 'binary', maxLength: 6 }))
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 8 }), fc.array(fc.nat(200), { maxLength: 12 }), (texts, cuts) => {
        const bytes = Buffer.from(texts.join(''), 'utf8')
        const places = [...new Set(cuts.map(cut => cut % (bytes.length + 1)))].sort((a, b) => a - b)
        const pieces = [...places, bytes.length].map((end, index) => bytes.subarray(places[index - 1] ?? 0, end))
        expect(decode(pieces)).toEqual(decode([bytes]))
      }),
    )
  })

  test.each([
    ['\r', 'enter'],
    ['\n', 'ctrl+j'],
    ['\x1b\r', 'alt+enter'],
    ['\x1b[13;2u', 'shift+enter'],
    ['\x1b[27;2;13~', 'shift+enter'],
    ['\x1b[27;5;13~', 'ctrl+enter'],
    ['\x03', 'ctrl+c'],
    ['\x1b[99;5u', 'ctrl+c'],
    ['\x1b[27u', 'escape'],
    ['\x1b', 'escape'],
    ['\x1b[1;3D', 'alt+left'],
    ['\x1b[Z', 'shift+tab'],
    ['\x1b[9;2u', 'shift+tab'],
    ['\x1f', 'ctrl+_'],
    ['\x7f', 'backspace'],
    ['\x1b\x7f', 'alt+backspace'],
    ['A', 'A'],
    ['\x1b[97;2u', 'A'],
  ])('reads %j as %s', (bytes, name) => {
    expect(decode([bytes]).map(keyName)).toEqual([name])
  })

  test('gives a paste as one key with its whole text, and no key for what a terminal answers', () => {
    expect(decode(['\x1b[200~one\ntwo\x1b[A\x1b[201~x'])).toMatchObject([
      { name: 'paste', text: 'one\ntwo\x1b[A' },
      { name: 'x' },
    ])
    expect(decode(['\x1b[?62;4c\x1b[?1u\x1b[57441u'])).toEqual([])
  })
})
