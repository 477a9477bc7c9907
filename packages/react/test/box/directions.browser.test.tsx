import { expect, test } from 'vitest'
import { call, mountBox, text } from './mount.tsx'

const arabic = 'يطرح الملف `reader.ts` واحدًا مرتين.'
const english = 'One is taken off twice.'

async function answered(direction: 'rtl' | 'ltr', ...pieces: string[]): Promise<HTMLElement> {
  const { host, adapter, store, find } = await mountBox()
  host.dir = direction
  store.submit({ text: arabic })
  adapter.say(
    { type: 'start', messageId: 'a' },
    ...text('t', 'I look.'),
    ...call('c', 'run', { command: 'npm test' }),
    { type: 'tool-output-error', toolCallId: 'c', errorText: '2 tests failed:\n  old-1.json' },
    ...text('u', pieces.join('\n\n')),
    { type: 'finish' },
  )
  adapter.close()
  await find('.argot-under')
  await expect.poll(() => host.querySelectorAll('.argot-turn .argot-prose > *').length).toBeGreaterThan(pieces.length)
  return host
}

/** The side on which a block's text begins. */
function sideOf(block: Element, frame: DOMRect): string {
  const range = document.createRange()
  range.selectNodeContents(block)
  const { left, right } = range.getBoundingClientRect()
  return left - frame.left < frame.right - right ? 'ltr' : 'rtl'
}

const directionOf = (element: Element): string => getComputedStyle(element).direction

test.each(['rtl', 'ltr'] as const)(
  'in a page from %s each paragraph has the direction of its own language',
  async direction => {
    const host = await answered(direction, english, arabic, `- ${english}\n- two`, `1. ${arabic}`, `> ${arabic}`)
    await expect.poll(() => host.querySelector('[data-role="assistant"] blockquote')).not.toBeNull()
    const log = host.querySelector('[data-role="assistant"] .argot-answer')!.getBoundingClientRect()
    const blocks = [...host.querySelectorAll('[data-role="assistant"] .argot-item:last-child .argot-prose > *')]
    expect(
      blocks.map(block => [block.tagName, block.tagName === 'P' ? sideOf(block, log) : directionOf(block)]),
    ).toEqual([
      ['P', 'ltr'],
      ['P', 'rtl'],
      ['UL', 'ltr'],
      ['OL', 'rtl'],
      ['BLOCKQUOTE', 'rtl'],
    ])
    expect(getComputedStyle(host.querySelector('.argot-bubble p')!).unicodeBidi).toBe('plaintext')
  },
)

test('in a page from right to left the lines below a row begin where the row begins, in their own direction', async () => {
  const host = await answered('rtl', english)
  const under = host.querySelector('.argot-under')!.getBoundingClientRect()
  const verb = host.querySelector('.argot-verb')!.getBoundingClientRect()
  expect(Math.abs(under.right - verb.right)).toBeLessThan(2)
})

test('in a page from right to left code stays from left to right, and its Copy covers nothing', async () => {
  const host = await answered('rtl', '```ts\nconst from = Number(text)\n```')
  await expect.poll(() => host.querySelector('.argot-code-block')).not.toBeNull()
  const code = host.querySelector('.argot-code-block pre code')!
  const range = document.createRange()
  range.selectNodeContents(code)
  expect(directionOf(code)).toBe('ltr')
  expect(range.getBoundingClientRect().right).toBeLessThan(
    host.querySelector('.argot-code-block .argot-copy')!.getBoundingClientRect().left,
  )
})

test('what a person writes has its own direction', async () => {
  const { field } = await mountBox()
  expect(field().dir).toBe('auto')
})
