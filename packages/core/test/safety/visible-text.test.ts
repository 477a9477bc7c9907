import { visibleText } from '@argot/core/stream'
import { visibleLine } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { share, shareOf } from '../../../../test/share-of-cases.ts'

/** The text that was made visible: nothing was lost if this gives it back. */
function original(visible: string): string {
  return visible.replace(/\\u\{([0-9a-f]{1,6})\}/g, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  )
}

/** The target of the compiler does not know it in a literal. */
const flag = 'v'

const hostile = [
  ...['\\', '\\u', '\\u{', '\\u{202e}', '\\\\u{5c}', '{', '}', 'u{', '5c', '202e', 'a', '\n', '\t', ' ', '1', '#'],
  ...['\u202e', '\u2066', '\u200b', '\u200d', '\u200c', '\ufeff', '\u00ad', '\u2028', '\u2029', '\u0000', '\u001b[2K'],
  ...['\r', '\u0085', '\u009b', '\ud800', '\udc00', '\u{e0041}', '\u{e0100}', '\ufe0f', '\ufe0e', '\u3164', '\u115f'],
  ...['\u2800', '\u00a0', '\u034f', '\u180e', '\u2061', '\u206a', '\ufff9', '👩‍👩‍👧', '❤', '❤️', '👍🏽', '🏴', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '⃣'],
]
const texts = fc.array(fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: 'binary' })), { maxLength: 12 })
const joined = texts.map(pieces => pieces.join(''))

test('nothing is lost: the text can be had back from what is shown, so two texts never look the same', () => {
  fc.assert(
    fc.property(joined, text => {
      expect(original(visibleText(text))).toBe(text)
      expect(original(visibleLine(text))).toBe(text)
    }),
    { numRuns: shareOf(3000) },
  )
})

test('what hides is never shown as it is, whatever is around it', () => {
  // A sign that is drawn as a picture because of it is the one place in which a selector may be.
  const hides = new RegExp(
    String.raw`[[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\n\t]]`,
    flag,
  )
  const picture = new RegExp(String.raw`\p{Emoji}\ufe0f`, `g${flag}`)
  fc.assert(
    fc.property(joined, text => {
      expect(hides.test(visibleText(text).replace(picture, ''))).toBe(false)
      expect(/[\n\t]/.test(visibleLine(text))).toBe(false)
    }),
    { numRuns: shareOf(3000) },
  )
})

test('every character of Unicode is shown as itself or as an escape, and every hidden one as an escape', () => {
  const named = /^(?:\p{Bidi_Control}|\p{Variation_Selector}|\p{Cc}|\p{Cs}|\p{Cn}|\p{Co}|\p{Zl}|\p{Zp})$/u
  const wrong: string[] = []
  // Beyond the first plane and the tags, a share of them: most have no meaning.
  const step = share === 1 ? 1 : 13
  for (
    let code = 0;
    code <= 0x10ffff;
    code += code < 0x3100 || (code >= 0xd7f0 && code < 0x10000) || (code >= 0xdfff0 && code < 0xe0200) ? 1 : step
  ) {
    const character = String.fromCodePoint(code)
    const visible = visibleText(character)
    const mayStay = !named.test(character) || character === '\n' || character === '\t'
    if (visible === character ? !mayStay : visible !== `\\u{${code.toString(16)}}`) wrong.push(code.toString(16))
  }
  expect(wrong).toEqual([])
})

test('text of any language, code and emoji are shown as they are', () => {
  for (const text of [
    'مرحبا بالعالم ۝ ؀١٢٣',
    'שָׁלוֹם עוֹלָם',
    'हिन्दी में नमस्ते',
    'ไทย ភាសាខ្មែរ 漢字　かな 한국어 Ünïcödé e\u0301',
    'if (a) {\n\treturn "C:\\users\\u1" // \\n \\u00e9 \\x41\n}\n',
    '😀 ❤️ ⚠️ 1️⃣ 🇩🇪 👍🏽',
  ])
    expect(visibleText(text)).toBe(text)
})

test('signs that hide inside words are shown: they are what is judged', () => {
  expect(visibleText('rm \u202egnp.txt')).toBe('rm \\u{202e}gnp.txt')
  expect(visibleText('pay\u200bpal')).toBe('pay\\u{200b}pal')
  expect(visibleText('\u{e0072}\u{e006d}')).toBe('\\u{e0072}\\u{e006d}')
  expect(visibleText('👩\u200d👧')).toBe('👩\\u{200d}👧')
  expect(visibleText('1\ufe0f')).toBe('1\\u{fe0f}')
  expect(visibleText('\\u{202e}')).toBe('\\u{5c}u{202e}')
  expect(visibleLine('a\nb\tc')).toBe('a\\u{a}b\\u{9}c')
})
