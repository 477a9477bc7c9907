import { ChatBox, ChatStore, ToolCard } from '@argot/react'
import { Profiler } from 'react'
import { expect, test } from 'vitest'
import { mountBox, put } from '../box/mount.tsx'
import { ScriptedAdapter } from '../store/scripted-adapter.ts'
import { found, mount } from './mount.tsx'

const frame = () => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))

const twelve = { slotProps: { messageContent: { partProps: { tool: { newestLines: 12 } } } } }

function begin(adapter: ScriptedAdapter): void {
  adapter.say({ type: 'start', messageId: 'a' }, { type: 'tool-input-start', toolCallId: 'c', toolName: 'write_file' })
  adapter.say({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"path":"a.ts","content":"' })
}

function write(adapter: ScriptedAdapter, text: string): void {
  adapter.say({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: JSON.stringify(text).slice(1, -1) })
}

test('of a text that is being written the newest 12 lines are shown, in a box that only grows', async () => {
  const { adapter, store, find, host } = await mountBox(twelve)
  store.submit({ text: 'one' })
  begin(adapter)
  write(adapter, 'line 1\n')
  const box = await find('[data-argot-call="a/c"] .argot-box')
  const heights: number[] = []
  for (let line = 2; line <= 40; line++) {
    write(adapter, `line ${line}${line % 7 === 0 ? ' and much more of it'.repeat(20) : ''}\n`)
    await frame()
    heights.push(box.querySelector('pre')!.getBoundingClientRect().height)
  }
  await expect.poll(() => box.querySelector('pre')!.textContent).toContain('line 40')
  const shown = box.querySelector('pre')!.textContent!.split('\n')
  expect(shown).toHaveLength(12)
  expect(shown[0]).toBe('line 29')
  expect(heights).toEqual(heights.toSorted((a, b) => a - b))
  expect(box.querySelector('.argot-box-head')!.textContent).toContain('line 41')
  expect(host.querySelector('[data-argot-call="a/c"] .argot-row')!.textContent).toContain('a.ts')
})

test('all of it so far is shown when a reader asks, its beginning and its newest 98 kB where it is long', async () => {
  const { adapter, store, find } = await mountBox(twelve)
  store.submit({ text: 'one' })
  begin(adapter)
  write(adapter, `first line\n${'a line of some length\n'.repeat(400)}`)
  const button = await find('[data-argot-call="a/c"] .argot-box-foot button')
  button.click()
  const pre = await find('[data-argot-call="a/c"] pre')
  await expect.poll(() => pre.textContent).toContain('first line\na line')
  expect(pre.textContent!.split('a line of some length').length).toBe(401)
  for (let piece = 0; piece < 30; piece++) {
    write(adapter, `piece ${piece}\n${'a line of some length\n'.repeat(300)}`)
    await frame()
  }
  await expect.poll(() => pre.textContent).toContain('piece 29')
  expect(pre.textContent).toContain('first line')
  expect(pre.textContent!.length).toBeLessThan(110_000)
  expect(pre.querySelector('.argot-cut')!.textContent).toMatch(/^⋯ \d+ kB$/)
  expect(pre.textContent!.trimEnd().endsWith('a line of some length')).toBe(true)
})

test('a token of an argument is written into the page and renders no card', async () => {
  const adapter = new ScriptedAdapter()
  const store = new ChatStore({ adapter })
  let renders = 0
  const { host } = put(
    <Profiler id="box" onRender={() => renders++}>
      <ChatBox adapter={adapter} store={store} />
    </Profiler>,
  )
  store.submit({ text: 'one' })
  begin(adapter)
  write(adapter, 'one ')
  await expect.poll(() => host.querySelector('[data-argot-call="a/c"] pre')?.textContent).toContain('one')
  await frame()
  renders = 0
  for (let token = 0; token < 60; token++) {
    write(adapter, `t${token} `)
    await frame()
  }
  await expect.poll(() => host.querySelector('[data-argot-call="a/c"] pre')!.textContent).toContain('t59')
  // The clock of the run line may tick.
  expect(renders).toBeLessThan(10)
})

test('a card on its own shows what it is given, also when the key changes or the value is not text', async () => {
  const part = (input: unknown) => ({ type: 'tool-write_file', toolCallId: 'c', state: 'input-streaming', input })
  const card = (input: unknown) => <ToolCard part={part(input)} message={{ status: 'streaming' }} />
  const { host, render } = mount(card({ content: 'abc' }))
  const pre = await found(host, 'pre')
  expect(pre.textContent).toBe('abc')
  render(card({ content: 'abcdef' }))
  await expect.poll(() => host.querySelector('pre')!.textContent).toBe('abcdef')
  render(card({ content: 'abcdef', mode: 'ove' }))
  await expect.poll(() => host.querySelector('pre')!.textContent).toBe('ove')
  expect(host.querySelector('.argot-body')!.textContent).toContain('abcdef')
  render(card({ content: 'abcdef', mode: 'over', lines: [1, 2] }))
  await expect.poll(() => host.querySelector('.argot-tree')?.textContent).toContain('lines')
  render(card('just a tex'))
  await expect.poll(() => host.querySelector('pre')?.textContent).toBe('just a tex')
})
