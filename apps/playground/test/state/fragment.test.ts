import { deflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { LONGEST_LINK, LONGEST_SHARED, readFragment, writeFragment } from '../../src/state/fragment.ts'

const texts = [
  '',
  'Hi',
  'a & b = c # d + e % f',
  'Tromsø ｜▁ 🐚 \u202e \u0000\n\t',
  '<tool_call>\n'.repeat(400),
  '\ud800',
]

test.each(texts)('a link carries %j and gives it back', async text => {
  const shared = { text, syntax: 'hermes', tools: '[{"name":"a"}]' }
  const fragment = await writeFragment(shared)
  // A lone half of a pair is no character, so no address can carry it.
  expect(await readFragment(fragment!)).toEqual({ ...shared, text: text.toWellFormed() })
})

test('a short link can be read by people, a long one is compressed', async () => {
  expect(await writeFragment({ text: 'Hi there', syntax: 'auto' })).toBe('#text=Hi+there')
  expect(await writeFragment({ text: 'Hi '.repeat(1000) })).toMatch(/^#z=[\w-]{10,100}$/)
})

test('what does not fit into a link is refused', async () => {
  let seed = 1
  const noise = Array.from({ length: LONGEST_LINK * 2 }, () =>
    String.fromCharCode(33 + ((seed = (seed * 16807) % 2147483647) % 90)),
  )
  expect(await writeFragment({ text: noise.join('') })).toBeUndefined()
  expect(await writeFragment({ text: 'a'.repeat(LONGEST_SHARED + 1) })).toBeUndefined()
})

test.each(['', '#', '#token=abc', '#z=', '#z=!!!', '#z=AAAA', '#text', '#%E0%A4%A'])(
  '%j carries nothing, or nothing that harms',
  async fragment => {
    const shared = await readFragment(fragment)
    expect(shared?.text ?? '').toBe('')
  },
)

test('a link that unpacks to gigabytes is given up', async () => {
  const bomb = deflateRawSync(Buffer.alloc(64_000_000, 'a')).toString('base64url')
  expect(await readFragment(`#z=${bomb}`)).toBeUndefined()
})
