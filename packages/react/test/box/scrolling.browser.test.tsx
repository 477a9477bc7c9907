import type { Chunk } from '@argot/core'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { asks, call, type Mounted, mountBox, toldLate } from './mount.tsx'

const frame = (): Promise<unknown> =>
  new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))

const distance = (log: HTMLElement): number => Math.round(log.scrollHeight - log.scrollTop - log.clientHeight)

const paragraphs = (count: number, name: string): string =>
  Array.from({ length: count }, (_, index) => `${name} ${index}`).join('\n\n')

/** A box in the middle of an answer that is higher than the view. */
async function streaming(): Promise<Mounted & { say: (...chunks: Chunk[]) => Promise<void> }> {
  const mounted = await mountBox()
  const { adapter, store, log } = mounted
  store.submit({ text: 'one' })
  const say = async (...chunks: Chunk[]): Promise<void> => {
    adapter.say(...chunks)
    await frame()
    await frame()
  }
  await say({ type: 'start', messageId: 'a' }, { type: 'text-start', id: 't' })
  await say({ type: 'text-delta', id: 't', delta: paragraphs(40, 'line') })
  await expect.poll(() => log().scrollHeight > log().clientHeight + 500).toBe(true)
  return { ...mounted, say }
}

test('the view follows the end, also while the input of a call streams', async () => {
  const { log, say } = await streaming()
  await expect.poll(() => distance(log())).toBe(0)
  await say({ type: 'text-delta', id: 't', delta: paragraphs(10, '\n\nmore') })
  await expect.poll(() => distance(log())).toBe(0)
  const before = log().scrollHeight
  await say({ type: 'text-end', id: 't' }, { type: 'tool-input-start', toolCallId: 'c', toolName: 'write_file' })
  await say({
    type: 'tool-input-delta',
    toolCallId: 'c',
    inputTextDelta: `{"path":"a","content":"${'x\\n'.repeat(40)}`,
  })
  await expect.poll(() => log().scrollHeight).toBeGreaterThan(before)
  await expect.poll(() => distance(log())).toBe(0)
})

test.each<[string, (log: HTMLElement) => unknown]>([
  [
    'the wheel upwards',
    async log => {
      log.dispatchEvent(new WheelEvent('wheel', { deltaY: -120, bubbles: true }))
      log.scrollTop -= 20
    },
  ],
  [
    'a touch',
    log => {
      log.dispatchEvent(new TouchEvent('touchstart', { bubbles: true }))
      log.scrollTop -= 20
    },
  ],
  [
    'the scrollbar',
    log => {
      const clientX = log.getBoundingClientRect().left + log.clientLeft + log.clientWidth + 4
      log.dispatchEvent(new PointerEvent('pointerdown', { clientX, bubbles: true }))
      log.scrollTop -= 20
    },
  ],
  [
    'Page Up',
    async log => {
      log.focus()
      await userEvent.keyboard('{PageUp}')
    },
  ],
  ['a selection', log => document.getSelection()!.selectAllChildren(log.querySelector('.argot-text p')!)],
  ['focus inside', log => log.querySelector<HTMLElement>('article')!.focus({ preventScroll: true })],
])('%s stops following at once', async (_, act) => {
  const { log, say } = await streaming()
  await act(log())
  await frame()
  const top = log().scrollTop
  await say({ type: 'text-delta', id: 't', delta: paragraphs(20, '\n\nmore') })
  await expect.poll(() => log().textContent).toContain('more 19')
  await expect.poll(() => distance(log())).toBeGreaterThan(48)
  expect(Math.abs(log().scrollTop - top)).toBeLessThan(400)
  document.getSelection()?.removeAllRanges()
})

test('an answer to a call whose end was in view resumes following, and focus is on its row', async () => {
  const { log, say, find } = await streaming()
  await say({ type: 'text-end', id: 't' }, ...asks('c', 'run_command', { command: 'npm test' }))
  const approve = await find('.argot-approval [data-kind="primary"]')
  approve.focus({ preventScroll: true })
  await expect.poll(() => distance(log())).toBe(0)
  approve.click()
  await expect.poll(() => document.activeElement?.hasAttribute('data-argot-summary')).toBe(true)
  await say({ type: 'tool-output-available', toolCallId: 'c', output: 'ok' }, { type: 'text-start', id: 'u' })
  await say({ type: 'text-delta', id: 'u', delta: paragraphs(20, 'more') })
  await expect.poll(() => distance(log())).toBe(0)
})

test('a press beside what is said does not stop following', async () => {
  const { log, say } = await streaming()
  const clientX = log().getBoundingClientRect().left + log().clientLeft + 1
  log().dispatchEvent(new PointerEvent('pointerdown', { clientX, bubbles: true }))
  await say({ type: 'text-delta', id: 't', delta: paragraphs(20, '\n\nmore') })
  await expect.poll(() => distance(log())).toBe(0)
})

test('a busy page that is told late what is in view does not say that the call in view is out of it', async () => {
  toldLate()
  const { host, log, say, find } = await streaming()
  await say({ type: 'text-end', id: 't' }, ...asks('c', 'run_command', { command: 'npm test' }))
  await find('.argot-approval')
  const end = log().scrollHeight
  log().dispatchEvent(new WheelEvent('wheel', { deltaY: -120, bubbles: true }))
  log().scrollTop = 0
  await find('.argot-bar')
  log().scrollTop = end
  await frame()
  await frame()
  log().scrollTop = 0
  await frame()
  await frame()
  log().scrollTop = end
  await expect.poll(() => host.querySelector('.argot-bar')).toBeNull()
})

test('a busy page that is told late what is in view does not fold the work that a reader has come back to', async () => {
  toldLate()
  const { log, say, store, adapter } = await streaming()
  await say({ type: 'text-end', id: 't' }, ...call('c', 'read_file', { path: 'a' }, 'text'))
  await say({ type: 'text-start', id: 'u' }, { type: 'text-delta', id: 'u', delta: paragraphs(40, 'end') })
  adapter.say({ type: 'text-end', id: 'u' }, { type: 'finish' })
  adapter.close()
  await expect.poll(() => store.status.get()).toBe('ready')
  store.submit({ text: 'two' })
  await say({ type: 'start', messageId: 'b' }, { type: 'text-start', id: 'v' })
  const offered: string[] = []
  const { folds } = store
  folds.offer = id => void offered.push(id)
  log().dispatchEvent(new WheelEvent('wheel', { deltaY: -120, bubbles: true }))
  log().scrollTop = 0
  for (let turn = 0; turn < 20; turn++) await frame()
  await say({ type: 'text-delta', id: 'v', delta: paragraphs(60, 'second') })
  log().scrollTop = log().scrollHeight
  await frame()
  log().scrollTop = 0
  for (let turn = 0; turn < 20; turn++) await frame()
  expect(offered).toEqual([])
})

test('the pill goes back to the end, and following resumes', async () => {
  const { host, log, say, find } = await streaming()
  log().dispatchEvent(new WheelEvent('wheel', { deltaY: -120, bubbles: true }))
  log().scrollTop = 0
  const pill = await find('.argot-latest')
  expect(pill.textContent).toContain('Latest')
  await userEvent.click(pill)
  await expect.poll(() => distance(log())).toBe(0)
  await say({ type: 'text-delta', id: 't', delta: paragraphs(10, '\n\nmore') })
  await expect.poll(() => distance(log())).toBe(0)
  await expect.poll(() => host.querySelector('.argot-latest')).toBeNull()
})

test('coming back to within 48 pixels of the end resumes following', async () => {
  const { log, say } = await streaming()
  log().dispatchEvent(new WheelEvent('wheel', { deltaY: -120, bubbles: true }))
  log().scrollTop -= 300
  await frame()
  log().scrollTop = log().scrollHeight - log().clientHeight - 40
  await frame()
  await say({ type: 'text-delta', id: 't', delta: paragraphs(10, '\n\nmore') })
  await expect.poll(() => distance(log())).toBe(0)
})

test('a sent message lies 24 pixels below the upper edge, and the view moves again only when the end passes the lower one', async () => {
  const { adapter, store, log, say } = await streaming()
  await say({ type: 'text-end', id: 't' }, { type: 'finish' })
  adapter.close()
  await expect.poll(() => store.isRunning).toBe(false)
  store.submit({ text: 'two' })
  const id = await expect
    .poll(() => store.conversation.ids.get()[2])
    .toBeTruthy()
    .then(() => store.conversation.ids.get()[2]!)
  const top = (): number =>
    Math.round(
      log().querySelector(`[data-argot-message="${id}"] .argot-bubble`)!.getBoundingClientRect().top -
        log().getBoundingClientRect().top,
    )
  await expect.poll(top).toBe(24)
  adapter.say({ type: 'start', messageId: 'b' }, { type: 'text-start', id: 't' })
  adapter.say({ type: 'text-delta', id: 't', delta: paragraphs(3, 'short') })
  await expect.poll(() => log().textContent).toContain('short 2')
  await frame()
  await frame()
  expect(top()).toBe(24)
  adapter.say({ type: 'text-delta', id: 't', delta: paragraphs(40, '\n\nlong') })
  await expect.poll(top).toBeLessThan(0)
  await expect.poll(() => distance(log())).toBe(0)
})

test('opening a row keeps its upper edge where it is', async () => {
  const { host, say } = await streaming()
  await say({ type: 'text-end', id: 't' }, ...call('c', 'read_file', { path: 'a.ts' }, paragraphs(40, 'out')))
  await expect.poll(() => host.querySelector('[data-argot-call="a/c"] .argot-row')).not.toBeNull()
  const row = (): HTMLElement => host.querySelector<HTMLElement>('[data-argot-call="a/c"] .argot-row')!
  if (row().getAttribute('aria-expanded') === 'true') await userEvent.click(row())
  await frame()
  const before = row().getBoundingClientRect().top
  await userEvent.click(row())
  await frame()
  await frame()
  expect(row().getAttribute('aria-expanded')).toBe('true')
  expect(Math.abs(row().getBoundingClientRect().top - before)).toBeLessThan(1)
})

test('text that turns into commentary changes its colour and moves nothing', async () => {
  const { host, adapter, store, find } = await mountBox()
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' }, { type: 'text-start', id: 't' })
  adapter.say({
    type: 'text-delta',
    id: 't',
    delta: paragraphs(3, 'I will look at the parser, then at the tests, and say what I find.'),
  })
  await find('[data-role="assistant"] .argot-text p')
  await frame()
  const box = (): number[] => {
    const { top, left, width, height } = host
      .querySelector('[data-role="assistant"] .argot-text')!
      .getBoundingClientRect()
    return [top, left, width, height].map(Math.round)
  }
  const before = box()
  const colour = getComputedStyle(host.querySelector('[data-role="assistant"] .argot-text p')!).color
  adapter.say({ type: 'text-end', id: 't' }, ...call('c', 'read_file', { path: 'a.ts' }, 'x'))
  await find('.argot-text.argot-commentary')
  await frame()
  expect(box()).toEqual(before)
  await expect
    .poll(() => getComputedStyle(host.querySelector('[data-role="assistant"] .argot-text p')!).color)
    .not.toBe(colour)
})
