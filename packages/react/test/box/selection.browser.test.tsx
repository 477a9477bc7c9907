import { expect, test } from 'vitest'
import { GrowingPaint } from '../../src/bodies/code/growing-paint.ts'
import { mountBox } from './mount.tsx'

/** Selects the first occurrence of a text below an element, as a reader does. */
function select(root: Element, words: string): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const at = node.nodeValue!.indexOf(words)
    if (at >= 0) return document.getSelection()!.setBaseAndExtent(node, at + words.length, node, at)
  }
  throw new Error(`${words} is not there`)
}

test.each([
  ['a plain paragraph', ['Some plain words', ' and more', ' and **more**', ' and `code`.']],
  ['a paragraph with marks', ['Some *plain words* are', ' here', ', and more', '.']],
  ['a list', ['- Some plain words', ' in an item', '\n- and another', ' one']],
  ['a block of code', ['```ts\nconst a = "Some plain words"', '\nconst b = 2', '\nif (a) b()', '\n```\n']],
])('what is selected stays selected while %s grows, backwards too', async (_, [first, ...rest]) => {
  const initialMessages = [
    { id: 'h', role: 'assistant', parts: [{ type: 'text', text: '**Bold**\n\n```ts\nlet\n```' }] },
  ]
  const { adapter, store, log, find } = await mountBox({ initialMessages })
  // Markdown and the colours of code are loaded.
  await find('strong')
  await find('code span')
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' }, { type: 'text-start', id: 't' })
  adapter.say({ type: 'text-delta', id: 't', delta: first! })
  await expect.poll(() => log().textContent).toContain('plain words')
  await expect.poll(() => log().querySelector('.argot-text :is(p, li, pre)')).not.toBeNull()
  select(log(), 'plain words')
  for (const delta of rest) {
    adapter.say({ type: 'text-delta', id: 't', delta })
    const end = delta.replace(/[^a-z\d]+$/i, '').slice(-3)
    await expect.poll(() => log().textContent).toContain(end)
    expect(document.getSelection()!.toString()).toBe('plain words')
  }
  adapter.say({ type: 'text-end', id: 't' }, { type: 'finish' })
  adapter.close()
  await expect.poll(() => store.status.get()).toBe('ready')
  const { anchorOffset, focusOffset } = document.getSelection()!
  expect(document.getSelection()!.toString()).toBe('plain words')
  expect(anchorOffset).toBeGreaterThan(focusOffset)
})

test('what is selected in the newest lines of an input stays while lines come and go', () => {
  const host = document.body.appendChild(document.createElement('pre'))
  const paint = new GrowingPaint(host, 3, hidden => `${hidden}`)
  let text = ''
  const write = (delta: string): void => {
    text += delta
    paint.draw(text)
  }
  write('one\ntwo\nthree')
  select(host, 'three')
  for (const delta of ['\n', 'four', '\nfi', 've']) {
    write(delta)
    expect(document.getSelection()!.toString()).toBe('three')
  }
  expect(host.textContent).toBe('three\nfour\nfive')
  write('\nsix')
  expect(host.textContent).toBe('four\nfive\nsix')
  host.remove()
})
